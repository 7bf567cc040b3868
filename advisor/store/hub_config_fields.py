"""Typed access to the fields of a hub config: every bad value is an error that names its key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from advisor.errors import InputError
from advisor.store.hub_config_read import HubConfig

__all__ = ["Fields"]

# No published model comes near; beyond it the value is a typing mistake, not a size.
_LARGEST = 10**9

# Names of fields that describe how tokens are mixed. One that no recogniser has read means
# that the cache may not be what the other fields suggest.
_HINT = re.compile(
    r"ssm|mamba|rwkv|linear_(attn|attention|num|key|value|head)|recurr|retention|hyena|conv_l_"
    r"|short_conv|delta|block_config|hybrid|attn_type|attn_layer|attention_type|layers_block"
    r"|layer_types|compress|^index_|indexer|kv_shar|shared_kv|kv_source|cross_att|swa_|local_att"
    r"|window|attention_chunk|sparse_att|lightning|state_size|kv_lora|latent|global_head"
    r"|global_(key|num|att)|attn_config|altup|per_layer_input|v_head|value_head|kv_channels"
    r"|layer_group|num_loops|recurrence|attention_other|kv_head|key_value_head|query_group"
    r"|attention_group|source_layer|engram"
)
# Fields that match a hint and change neither cache nor weights.
_HARMLESS = frozenset({
    "index_topk", "index_topk_freq", "index_topk_pattern", "index_skip_topk_offset",
    "index_share_for_mtp_iteration", "indexer_rope_interleave", "mamba_hidden_act",
    "mamba_proj_bias", "mamba_conv_bias", "mamba_expand", "mamba_chunk_size",
    "use_mamba_kernels", "compress_rope_theta", "compress_rates", "latent_moe_use_norm",
    "mamba_ssm_dtype", "mamba_ssm_cache_dtype", "mamba_dt_rank", "add_swa_attention_sink_bias",
    "mtp_hybrid_override_pattern", "mtp_layers_block_type", "attn_res_block_size",
    "full_attn_alpha_factor", "linear_attn_alpha_factor", "full_attn_beta_factor",
    "linear_attn_beta_factor", "mlp_layer_types", "use_conv_bias", "indexer_types",
    "vocab_size_per_layer_input", "max_window_layers", "use_sliding_window", "rope_local_base_freq",
    "sliding_window_pattern", "sliding_window_size", "layernorm_linear_attention_alpha",
    "layernorm_linear_attention_beta",
})  # fmt: skip


class Fields:
    """One object of a config (the text part, mostly) with checked getters.

    Reading a field marks it, so that :meth:`unread_hints` can tell which fields about
    attention nobody has looked at.
    """

    def __init__(self, config: HubConfig, data: Mapping[str, Any], prefix: tuple[str, ...]) -> None:
        self._config = config
        self._data = data
        self._prefix = prefix
        self._read: set[str] = set()
        self._inherited_type = ""
        self.notes: list[str] = []
        """What had to be assumed, for the notes of the record."""
        self.unknown: list[str] = []
        """Figures that the config does not tell."""

    @property
    def model_type(self) -> str:
        """Lower-case ``model_type`` of this object or the one around it, else empty."""
        value = self._data.get("model_type")
        return value.lower() if isinstance(value, str) and value else self._inherited_type

    def inherit_type(self, model_type: str) -> None:
        """Use the outer object's type where this one names none."""
        self._inherited_type = model_type

    def has(self, *names: str) -> bool:
        """Tell whether one of ``names`` is there with a value other than null."""
        return any(self.raw(name) is not None for name in names)

    def raw(self, name: str) -> Any:  # noqa: ANN401 - JSON
        """Return the value of ``name`` unchecked, ``None`` when absent."""
        self._read.add(name)
        return self._data.get(name)

    def number(self, *names: str, default: int | None = None, minimum: int = 1) -> int:
        """Return the first of ``names`` that is given, as an integer of at least ``minimum``.

        Raises:
            InputError: None is given and there is no default, or the value is no such integer.
        """
        value = self.optional(*names, minimum=minimum)
        if value is not None:
            return value
        if default is not None:
            return default
        return self.missing(*names)

    def optional(self, *names: str, minimum: int = 1) -> int | None:
        """Return the first of ``names`` that is given, or ``None``; null counts as absent."""
        for name in names:
            value = self.raw(name)
            if value is not None:
                return self.checked(name, value, minimum)
        return None

    def checked(self, name: str, value: object, minimum: int = 1) -> int:
        """Return ``value`` if it is an integer in range.

        Raises:
            InputError: It is not; the message shows the value.
        """
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.problem(
                "bad_value", f"{name} must be a whole number, not {_show(value)}", name
            )
        if value < minimum:
            raise self.problem("bad_value", f"{name} must be at least {minimum}, not {value}", name)
        if value > _LARGEST:
            raise self.problem(
                "bad_value", f"{name} is {_show(value)}: no model is that large", name
            )
        return value

    def real(self, name: str, default: float) -> float:
        """Return ``name`` as a finite positive number."""
        value = self.raw(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
            raise self.problem(
                "bad_value", f"{name} must be a positive number, not {_show(value)}", name
            )
        return float(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean field."""
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.problem(
                "bad_value", f"{name} must be true or false, not {_show(value)}", name
            )
        return value

    def text(self, name: str) -> str | None:
        """Return a text field, or ``None``."""
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.problem("bad_value", f"{name} must be text, not {_show(value)}", name)
        return value

    def items(self, name: str, length: int | None = None) -> list[Any] | None:
        """Return a list field, or ``None``; with ``length``, at least that many entries.

        Lists that cover MTP layers too are longer than the model; the rest is cut off.
        """
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self.problem("bad_value", f"{name} must be a list, not {_show(value)}", name)
        if length is not None and len(value) < length:
            message = f"{name} has {len(value)} entries for {length} layers"
            raise self.problem("bad_value", message, name)
        return value if length is None else value[:length]

    def child(self, name: str) -> Fields | None:
        """Return a nested object, or ``None``."""
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.problem("bad_value", f"{name} must be an object, not {_show(value)}", name)
        return Fields(self._config, value, (*self._prefix, name))

    def names(self) -> Iterator[str]:
        """Iterate over the field names as they stand."""
        return iter(str(name) for name in self._data)

    def ignore(self, *names: str) -> None:
        """Mark fields as looked at although their value plays no part."""
        self._read.update(names)

    def unread_hints(self) -> tuple[str, ...]:
        """Return fields about attention that hold a value and that nobody has read."""
        return tuple(
            name
            for name, value in self._data.items()
            if isinstance(name, str)
            and name not in self._read
            and name not in _HARMLESS
            and _HINT.search(name.lower())
            and value not in (None, False, 0, "", [], {})
        )

    def missing(self, *names: str) -> int:
        """Raise the error for a field that must be there.

        Raises:
            InputError: Always.
        """
        others = f" (or {', '.join(names[1:])})" if len(names) > 1 else ""
        message = f"The config has no {names[0]}{others}, which sizing needs"
        raise self.problem("missing_key", message, names[0])

    def problem(self, code: str, message: str, name: str | None = None) -> InputError:
        """Return an error about this object, or about one of its fields."""
        path = (*self._prefix, name) if name else self._prefix
        return self._config.problem(code, f"{message.rstrip('.')}.", path)


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."

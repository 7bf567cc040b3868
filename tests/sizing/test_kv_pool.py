"""The block pool against examples worked by hand; the sums are in the comments."""

from __future__ import annotations

import pytest
from sizing_questions import GIB, model

from advisor.sizing.cache_layers import CacheLayers, cache_layers
from advisor.sizing.kv_pool import KvPool, PoolRules, build_pool

VLLM = PoolRules()


def _pool(
    name: str, rules: PoolRules = VLLM, *, ranks: int = 1, kv_format: str = "bf16", drafts: int = 0
) -> KvPool:
    layers = cache_layers(
        model(name),
        tensor_parallel=ranks,
        kv_format=kv_format,
        speculative_tokens=drafts,
        use_mtp_layers=drafts > 0,
    )
    return build_pool(layers, rules)


def _members(pool: KvPool) -> list[tuple[str, int, int]]:
    return [(member.kind, member.groups, member.block_tokens) for member in pool.members]


def test_uniform_layers_share_one_page_of_sixteen_tokens() -> None:
    pool = build_pool((CacheLayers("full", 80, 4096.0),), VLLM)
    assert pool.bytes_per_token == 80 * 4096
    assert pool.bytes_per_block == 16 * 80 * 4096
    assert pool.blocks_for(8192) == 512
    assert pool.blocks_for(8193) == 513


def test_gpt_oss_needs_what_its_log_says() -> None:
    # 8,192 blocks for the full layers and ceil(1,151 / 16) + 1 = 73 for the windows,
    # each 18 layers x 16 tokens x 2,048 B = 589,824 B
    pool = _pool("gpt-oss-120b", PoolRules(inflight_tokens=1024))
    assert pool.bytes_per_block == 589_824
    assert pool.blocks_for(131_072) == 8_192 + 73
    assert pool.bytes_for(131_072) / GIB == pytest.approx(4.54, abs=0.005)


def test_a_window_never_holds_more_than_the_request() -> None:
    pool = _pool("gpt-oss-120b", PoolRules(inflight_tokens=1024))
    assert pool.blocks_for(64) == 4 + (4 + 1)


def test_a_state_stretches_the_attention_block_until_it_is_covered() -> None:
    # (48 / 2) x 128 x 128 x 4 + ((2 x 16 x 128 + 48 x 128) / 2) x 3 x 2 = 1,603,584 B
    # over 2 heads x 512 x 1 B = 1,024 B a token: 1,566 tokens, up to a multiple of 16
    pool = _pool("qwen3.6-27b", ranks=2, kv_format="fp8")
    assert _members(pool) == [("full", 1, 1568), ("state", 3, 16)]
    assert pool.bytes_per_block == 16 * 1568 * 1024
    assert pool.state_bytes == 48 * 1_603_584


def test_six_hundred_sixty_six_blocks_print_the_tokens_of_the_log() -> None:
    # state 3,248,128 B, row 1,152 B: 2,832 tokens a block; 371 + 3 x (2 + 2) blocks a request
    rules = PoolRules(state_blocks_per_group=2 + 2)
    pool = _pool("qwen3.6-27b", rules, kv_format="nvfp4", drafts=2)
    assert pool.members[0].block_tokens == 2832
    assert pool.blocks_for(1_048_576) == 371 + 12
    assert pool.printed_tokens(666 * pool.bytes_per_block, 1_048_576) == 1_823_372


@pytest.mark.parametrize(("kv_format", "row"), [("bf16", 1284), ("fp8", 788)])
def test_a_sparse_latent_row_carries_its_index_key(kv_format: str, row: int) -> None:
    # (512 + 64) x 2 + 128 + 4, or packed 512 + 16 + 128 + 128 + 4
    glm = model("glm-5.1")
    (layers,) = cache_layers(glm, tensor_parallel=8, kv_format=kv_format)
    assert layers.bytes_per_token == row
    assert layers.layers == glm.layers


def test_a_draft_layer_keeps_a_cache_of_its_own() -> None:
    plain, drafted = (
        cache_layers(model("glm-5.1"), tensor_parallel=8, kv_format="fp8", use_mtp_layers=use)[0]
        for use in (False, True)
    )
    assert (plain.layers, drafted.layers) == (78, 79)


@pytest.mark.parametrize("ranks", [1, 2, 8, 16])
def test_latent_rows_are_whole_on_every_rank(ranks: int) -> None:
    # 61 layers x (512 + 64) x 2 B
    assert _pool("deepseek-v3", ranks=ranks).bytes_per_token == 70_272


@pytest.mark.parametrize(("ranks", "heads"), [(1, 4), (2, 2), (4, 1), (8, 1)])
def test_grouped_heads_split_until_one_is_left(ranks: int, heads: int) -> None:
    # 94 layers x 2 x 128 x 2 B a head
    assert _pool("qwen3-235b-a22b", ranks=ranks).bytes_per_token == 94 * heads * 512


def test_context_parallel_ranks_interleave_one_sequence() -> None:
    alone = _pool("kimi-k2-thinking", ranks=8)
    eight = _pool("kimi-k2-thinking", PoolRules(context_parallel=8), ranks=8)
    free = 715_072 * alone.bytes_per_token
    assert alone.printed_tokens(free, 131_072) == 715_072
    # the log of the eight ranks, with 4 more blocks of memory, says 5,721,088
    assert eight.printed_tokens(free, 131_072) == 8 * 715_072
    assert eight.blocks_for(131_072) == alone.blocks_for(131_072) / 8


def test_a_wider_layer_shortens_its_block_until_pages_match() -> None:
    # a global layer caches 2 x 1,024 x 2 = 4,096 B a token, a local one 8 x 512 x 2 = 8,192 B
    pool = _pool("gemma-4-26b-a4b", PoolRules(inflight_tokens=2048))
    assert _members(pool) == [("full", 1, 32), ("window", 5, 16)]
    assert pool.bytes_per_block == 5 * 131_072
    # 131,072 / 32 + 5 x (ceil((1,023 + 2,048) / 16) + 1)
    assert pool.blocks_for(131_072) == 4096 + 5 * 193


def test_chunked_layers_are_bounded_only_where_the_version_does_so() -> None:
    bounded = PoolRules(chunked_layers_bounded=True, inflight_tokens=8192)
    plain = PoolRules(chunked_layers_bounded=False, inflight_tokens=8192)
    on, off = _pool("llama-4-scout", bounded), _pool("llama-4-scout", plain)
    row = 8 * 128 * 2 * 2
    assert on.bytes_per_token == 12 * row
    assert off.bytes_per_token == 48 * row
    # three groups of 12 chunked layers hold (8,192 + 8,192) / 16 blocks each
    assert on.blocks_for(131_072) == 8192 + 3 * 1024
    assert off.blocks_for(131_072) == 8192
    assert on.bytes_for(131_072) == 11_264 * 16 * 12 * row


def test_kimi_k3_pools_latents_and_delta_states() -> None:
    # per layer and rank at TP8: 12 x 128 x 128 x 4 + 3 x 1,536 x 3 x 2 = 814,080 B of state,
    # 1,152 B of latent: 706.7 tokens, so 720; groups of 24: one of latents, three of states
    pool = _pool("kimi-k3", ranks=8)
    assert pool.bytes_per_token == 24 * 1152
    assert pool.state_bytes == 69 * 814_080
    assert _members(pool) == [("latent", 1, 720), ("state", 3, 16)]


def test_nemotron_h_repeats_groups_that_do_not_divide() -> None:
    # TP1: 64 x 64 x 128 x 4 + (4,096 + 2 x 8 x 128) x 3 x 2 = 2,134,016 B a layer
    assert _pool("nemotron-3-nano-30b-a3b").state_bytes == 23 * 2_134_016
    # TP16: 8 groups become 16: 131,072 + (4,096 + 2 x 16 x 128) / 16 x 6 = 134,144 B
    assert _pool("nemotron-3-nano-30b-a3b", ranks=16).state_bytes == 23 * 134_144


def test_six_attention_layers_of_nemotron_grow_with_the_context() -> None:
    pool = _pool("nemotron-3-nano-30b-a3b")
    assert pool.bytes_per_token == 6 * 2 * 256 * 2
    # 2,134,016 / 1,024 = 2,084: 2,096 tokens; 23 state layers in groups of 6
    assert _members(pool) == [("full", 1, 2096), ("state", 4, 16)]


def test_older_versions_print_blocks_instead_of_concurrency() -> None:
    rules = PoolRules(inflight_tokens=1024, prints_concurrency=False)
    pool = _pool("gpt-oss-120b", rules)
    # 10,001 blocks over two groups, rounded down, of 16 tokens
    assert pool.printed_tokens(10_001 * pool.bytes_per_block, 131_072) == 5_000 * 16


def test_group_sizes_close_to_each_other_share_the_larger_one() -> None:
    layers = (CacheLayers("full", 20, 1024.0), CacheLayers("window", 26, 1024.0, window=128))
    pool = build_pool(layers, VLLM)
    assert pool.bytes_per_block == 26 * 16 * 1024
    assert [groups for _, groups, _ in _members(pool)] == [1, 1]


def test_an_engine_without_blocks_divides_bytes() -> None:
    rules = PoolRules(shared_pool=False, block_tokens=1, window_pool_share=None)
    pool = build_pool(
        (CacheLayers("full", 10, 1000.0), CacheLayers("window", 10, 1000.0, window=100)), rules
    )
    assert pool.bytes_for(5_000) == 10 * 1000 * 5_000 + 10 * 1000 * 100
    assert pool.largest_length(pool.bytes_for(5_000), 10_000) == 5_000


def test_states_apart_take_nothing_from_the_attention_pool() -> None:
    layers = (CacheLayers("full", 2, 100.0), CacheLayers("state", 6, state_bytes=1e6))
    apart, together = (
        build_pool(layers, PoolRules(shared_pool=False, states_apart=flag))
        for flag in (True, False)
    )
    assert apart.bytes_for(10) == 2000
    assert together.bytes_for(10) == 2000 + 6e6


def test_encoders_keep_nothing() -> None:
    pool = _pool("bge-m3")
    assert pool.bytes_for(8192) == 0
    assert pool.concurrency(1e9, 8192) == float("inf")


@pytest.mark.parametrize(
    "name", ["llama-3.3-70b", "gpt-oss-120b", "qwen3.6-27b", "gemma-4-26b-a4b"]
)
def test_the_longest_length_fits_and_one_block_more_does_not(name: str) -> None:
    pool = _pool(name, PoolRules(inflight_tokens=2048))
    free = 3.3 * GIB
    longest = pool.largest_length(free, 10**7)
    assert longest % 16 == 0
    assert pool.bytes_for(longest) <= free
    step = max(member.block_tokens for member in pool.members)
    assert pool.blocks_for(longest + step) > pool.block_count(free)

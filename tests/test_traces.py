"""Traces: public files are checked and said to be missing in a sentence, and their lines become blocks."""

import hashlib
import http.server
import json
import lzma
import random
import re
import shutil
import threading
from itertools import islice
from pathlib import Path

import pooch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.traffic import TRACES, NoTrace, Request, Trace, agents, cut, load, mixed, public
from radixlab.traffic.chat import AGENTS, CHAT, turns
from radixlab.traffic.files import PublicFile, read

DATA = Path(__file__).parents[2] / "shared" / "data"
LINES = b'{"timestamp": 0, "input_length": 600, "output_length": 9, "hash_ids": [70, 71]}\n\n'
FILE = PublicFile("small.jsonl", "some/where", "0" * 40, "data/0.jsonl", hashlib.sha256(LINES).hexdigest(), "MIT")
SERVER_FAULTS = {"missing": "the server answered 404", "other": "what came is not the file that was published"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that the environment names, and an empty cache, far from any network."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("RADIXLAB_DATA", str(own))
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    monkeypatch.setattr(PublicFile, "address", "http://127.0.0.1:9/data/0.jsonl")  # nobody listens there
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return own


@pytest.fixture
def server(folder, tmp_path, monkeypatch):
    """A server that has the file; `server.answer` can be made "missing" or "other"."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked += 1
            self.send_response(404 if self.server.answer == "missing" else 200)
            self.end_headers()
            self.wfile.write(LINES if self.server.answer == "good" else b"{}")

        def log_message(self, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as here:
        here.answer, here.asked = "good", 0
        thread = threading.Thread(target=here.serve_forever, daemon=True)
        thread.start()
        monkeypatch.setattr(PublicFile, "address", f"http://127.0.0.1:{here.server_port}/data/0.jsonl")
        yield here
        here.shutdown()
        thread.join()


def why_not(file=FILE) -> str:
    with pytest.raises(NoTrace) as error:
        read(file)
    assert "Traceback" not in str(error.value)
    return str(error.value)


# Files ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", [public.CONVERSATION, public.SYNTHETIC, public.RAGPULSE])
def test_a_public_file_names_its_commit_its_sum_and_its_licence(file):
    address = rf"https://raw\.githubusercontent\.com/{file.repository}/[0-9a-f]{{40}}/\S+\.jsonl"
    assert re.fullmatch(address, file.address)
    assert re.fullmatch("[0-9a-f]{64}", file.sha256) and file.licence in ("MIT", "Apache-2.0")


def test_a_folder_of_ones_own_is_read_plain_and_compressed(folder):
    (folder / "small.jsonl.xz").write_bytes(lzma.compress(LINES))
    assert read(FILE) == (LINES, str(folder / "small.jsonl.xz"))
    (folder / "small.jsonl").write_bytes(LINES)
    assert read(FILE) == (LINES, str(folder / "small.jsonl"))


@pytest.mark.parametrize("name", ["small.jsonl", "small.jsonl.xz"])
def test_a_file_with_other_bytes_is_named_and_refused(folder, name):
    other = LINES.replace(b"70", b"60")
    (folder / name).write_bytes(lzma.compress(other) if name.endswith("xz") else other)
    said = why_not()
    assert str(folder / name) in said and FILE.sha256[:12] in said and hashlib.sha256(other).hexdigest()[:12] in said
    assert "next:" in said


def test_a_damaged_xz_is_named(folder):
    (folder / "small.jsonl.xz").write_bytes(lzma.compress(LINES)[:-9])
    assert f"{folder / 'small.jsonl.xz'} cannot be decompressed" in why_not()


def test_a_folder_that_is_none_is_named(folder, monkeypatch):
    monkeypatch.setenv("RADIXLAB_DATA", str(folder / "nowhere"))
    assert f"$RADIXLAB_DATA is {folder / 'nowhere'}, which is no folder" in why_not()


def test_offline_a_sentence_says_what_is_missing_and_what_to_do(folder, tmp_path):
    said = why_not()
    assert f"small.jsonl could not be fetched from {FILE.address}: no connection" in said
    assert said.startswith(f"$RADIXLAB_DATA is {folder}, which has no small.jsonl (nor .xz)\n")
    assert "a folder that $RADIXLAB_DATA names" in said and "`ol replay chat`, which needs no network" in said
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_file_is_fetched_once(server, capsys):
    first, where = read(FILE)
    assert (first, server.asked) == (LINES, 1)
    server.answer = "missing"
    assert read(FILE) == (LINES, where) and server.asked == 1, "it is in the cache now"
    Path(where).write_bytes(b"damaged")
    server.answer = "good"
    assert read(FILE) == (LINES, where) and server.asked == 2, "a damaged one is fetched again"
    assert capsys.readouterr() == ("", "")


def test_the_own_folder_comes_before_the_cache(server, folder):
    read(FILE)
    (folder / "small.jsonl").write_bytes(LINES)
    assert read(FILE)[1] == str(folder / "small.jsonl")


@pytest.mark.parametrize("answer", SERVER_FAULTS)
def test_a_server_without_the_file_leaves_a_sentence_and_no_file(server, tmp_path, answer):
    server.answer = answer
    assert SERVER_FAULTS[answer] in why_not()
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_cache_that_cannot_be_written_is_named(folder, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert "cannot be written" in why_not()


# Lines ----------------------------------------------------------------------------------------------------------------


def test_the_last_block_of_mooncake_stands_for_what_is_left():
    (request,) = public.mooncake(LINES, "a.jsonl")
    assert [request.served(blocks) for blocks in range(3)] == [0, 512, 600]


def line(timestamp, length, **components) -> bytes:
    record = {"timestamp": str(timestamp), "input_length": length, "output_length": 1, "hash_ids": components}
    return json.dumps(record).encode() + b"\n"


def test_ragpulse_names_a_block_by_component_and_number():
    first, second = public.rag(line(1, 9, web=[5, 6], user=[5]) + line(2, 9, user=[5], web=[5]), "a.jsonl")
    assert (first.key, second.key) == ((0, 1, 2), (2, 0)), "in the order of the file, equal numbers apart"


def test_ragpulse_is_played_by_time_and_those_of_one_time_as_in_the_file():
    times = [100, 9, 20, 9]
    requests = public.rag(b"".join(line(time, 1, user=[at]) for at, time in enumerate(times)), "a.jsonl")
    assert [request.key for request in requests] == [(0,), (1,), (2,), (3,)], "ids by first appearance when played"
    lengths = public.rag(b"".join(line(time, at + 1, user=[at]) for at, time in enumerate(times)), "a.jsonl")
    assert [request.tokens for request in lengths] == [2, 4, 3, 1], "9, 9, 20, 100: as numbers, not as text"


@pytest.mark.parametrize(("length", "blocks", "each"), [(5, 2, 3), (4, 3, 1), (0, 2, 1), (9_000, 3, 512), (7, 2, 4)])
def test_ragpulse_shares_a_prompt_out_evenly(length, blocks, each):
    (request,) = public.rag(line(0, length, user=list(range(blocks))), "a.jsonl")
    assert (request.block_tokens, request.tokens) == (each, each * blocks)


def test_a_request_without_blocks_is_left_out():
    requests = public.rag(line(1, 5, user=[]) + line(2, 5, user=[1]), "a.jsonl")
    assert [request.key for request in requests] == [(0,)]


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (b'{"timestamp": 1', "this is no JSON"),
        (b"[1, 2]", "TypeError"),
        (b'{"timestamp": 1, "input_length": 3, "output_length": 1}', "KeyError: 'hash_ids'"),
        (b'{"timestamp": 1, "input_length": "3", "output_length": 1, "hash_ids": [1]}', "TypeError"),
        (b'{"timestamp": "soon", "input_length": 3, "output_length": 1, "hash_ids": [1]}', "ValueError"),
        (b'{"timestamp": 1, "input_length": 3, "output_length": 1, "hash_ids": [[1]]}', "TypeError"),
        (b'{"timestamp": 1, "input_length": 3, "output_length": 1, "hash_ids": 7}', "TypeError"),
        (b"\xff\xfe", "this is no JSON"),
    ],
)
def test_a_wrong_line_is_named_by_file_and_number(second, why):
    with pytest.raises(NoTrace, match=re.escape("a.jsonl, line 3: ")) as error:
        public.mooncake(LINES + second + b"\n", "a.jsonl")
    assert why in str(error.value)


def test_a_wrong_line_of_ragpulse_is_named_too():
    with pytest.raises(NoTrace, match=r"b\.jsonl, line 2: .*AttributeError"):
        public.rag(line(1, 5, user=[1]) + LINES, "b.jsonl")


# Traces ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "requests", "total", "blocks", "prefixes"),
    [
        ("ragpulse", 7_106, 10_535_055, 71_583, 58_727),
        ("conversation", 12_031, 67_915_607, 288_500, 182_790),
        ("synthetic", 3_993, 36_552_394, 121_877, 43_924),
    ],
)
def test_the_public_traces_are_read_whole(monkeypatch, name, requests, total, blocks, prefixes):
    assert DATA.is_dir(), f"{DATA} with the public traces is missing"
    monkeypatch.setenv("RADIXLAB_DATA", str(DATA))
    trace = load(name)
    assert (trace.name, len(trace.requests), trace.total_tokens, trace.granule) == (name, requests, total, 1)
    assert trace.capacities == tuple(sorted(trace.capacities)) != ()
    ids = {block for request in trace.requests for block in request.key}
    assert ids == set(range(len(ids))), "dense"
    assert sum(len(path) for path in trace.prefixes) == blocks
    assert 1 + max(path[-1] for path in trace.prefixes) == prefixes


def test_a_plain_copy_gives_the_same_trace(folder, monkeypatch):
    assert DATA.is_dir(), f"{DATA} with the public traces is missing"
    name = "synthetic_trace.jsonl"
    with lzma.open(DATA / f"{name}.xz") as packed, (folder / name).open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    plain = load("synthetic")
    monkeypatch.setenv("RADIXLAB_DATA", str(DATA))
    assert plain == load("synthetic")


KEYS = st.lists(st.lists(st.integers(0, 2), max_size=8), max_size=8)


@given(KEYS, st.integers(1, 3))
def test_two_requests_share_the_prefixes_as_far_as_their_blocks_agree(keys, granule):
    trace = cut("", [(key, 0) for key in keys], granule)
    for one, ones in zip(trace.requests, trace.prefixes, strict=True):
        assert len(ones) == len(one.key) // granule
        for other, others in zip(trace.requests, trace.prefixes, strict=True):
            for at, (a, b) in enumerate(zip(ones, others, strict=False), 1):
                assert (a == b) == (one.key[: at * granule] == other.key[: at * granule])
    numbers = [number for path in trace.prefixes for number in path]
    firsts = list(dict.fromkeys(numbers))
    assert firsts == list(range(len(firsts)))


@given(KEYS, st.integers(1, 3))
def test_a_prompt_is_cut_to_whole_blocks(keys, granule):
    for prompt, request in zip(keys, cut("", [(key, 5) for key in keys], granule).requests, strict=True):
        whole = len(prompt) // granule
        assert list(request.key) == prompt[: whole * granule]
        assert (request.tokens, request.output, request.served(whole)) == (len(prompt), 5, whole * granule)


def test_half_of_the_requests_only_fill_the_cache():
    trace = Trace("", [Request((at,), 1, tokens) for at, tokens in enumerate((1, 10, 100, 1000, 10_000))])
    assert (trace.warm, trace.total_tokens) == (2, 11_100)


def test_a_wrong_granule_is_refused():
    for granule in (0, -1):
        with pytest.raises(ValueError, match="at least 1 token"):
            load("chat", granule)
    with pytest.raises(ValueError, match="the blocks of ragpulse are given"):
        load("ragpulse", 16)
    for granule in (None, 16):
        with pytest.raises(ValueError, match="no trace 'chatt': choose chat, ragpulse, conversation, synthetic"):
            load("chatt", granule)
    assert next(iter(TRACES)) == "chat", "what needs no network comes first"


# Generated traffic ----------------------------------------------------------------------------------------------------


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 2**64))
def test_a_seed_gives_one_traffic_and_fewer_requests_are_its_beginning(few, more, seed):
    for make in (agents, mixed):
        requests = make(few + more, seed)
        assert len(requests) == few + more
        assert requests[:few] == make(few, seed)


def test_the_generated_traffic_is_the_same_everywhere():
    def sum_of(requests):
        return hashlib.sha256(json.dumps(requests).encode()).hexdigest()[:16]

    assert (sum_of(agents(100)), sum_of(mixed(200))) == ("f2739da2ec03ba1d", "74bda7a614c97489")
    assert agents(30, seed=1) != agents(30, seed=2) and mixed(30, seed=1) != mixed(30, seed=2)


def test_agents_have_the_shape_of_the_published_runs():
    prompts = agents(3000)
    assert len({prompt[:1266] for prompt in prompts}) == 1, "one system prompt with its tools, 1,266 tokens"
    assert sum(map(len, prompts)) / len(prompts) == pytest.approx(3071, rel=0.03)
    assert min(map(len, prompts)) >= 1306 and max(map(len, prompts)) <= 9966
    runs = len({prompt[1266:1306] for prompt in prompts})  # the task that a run begins with
    assert len(prompts) / runs == pytest.approx(12.3, rel=0.1), "calls a run, the last of them cut off"


def test_a_call_sends_again_all_that_went_before_and_what_the_tool_gave_back():
    seen: dict[tuple, tuple] = {}
    for prompt in agents(300):
        before = seen.get(prompt[1266:1306])
        if before:
            assert prompt[: len(before)] == before and 60 <= len(prompt) - len(before) <= 440
        seen[prompt[1266:1306]] = prompt


def test_chat_grows_by_160_tokens_a_turn():
    last: dict[tuple, int] = {}
    grown = []
    for prompt, answer in islice(turns(CHAT, random.Random(0)), 3000):
        talk = prompt[:532]  # a system prompt of 512 tokens and the beginning of the first message
        assert 60 <= answer <= 180
        if talk in last:
            grown.append(len(prompt) - last[talk])
        last[talk] = len(prompt)
    assert sum(grown) / len(grown) == pytest.approx(160, rel=0.02)


def test_the_mix_is_half_chat_and_half_agents():
    requests = mixed(1000)
    systems = {prompt[:512] for prompt, _ in requests}
    assert len(systems) == len(CHAT.popularity) + len(AGENTS.popularity)
    long = sum(answer <= 100 and len(prompt) > 1266 for prompt, answer in requests)
    assert all(20 <= answer <= 180 for _, answer in requests) and long > 400

"""What the autograder in Gradescope's container runs: `ol grade` on the one submission, and its `results.json`."""

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from radixlab import cli, course
from radixlab.classroom.outputs.places import RESULT, RESULTS
from radixlab.classroom.submissions import NoSubmission, find


def main(options: list[str]) -> int:
    """Grade `submission/` into `results/`, both below `$AUTOGRADER`, with the *options* of `ol grade`; return its code.

    `--chapter` comes first among them. Whatever keeps us from grading leaves no results: Gradescope then says that the
    autograder failed, and nobody has lost a point. A submission with nothing in it to grade has 0 points, and is told.
    """
    root = Path(os.environ.get("AUTOGRADER", "/autograder"))
    results = root / "results" / RESULT
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    chapter = course.chapter(options[options.index("--chapter") + 1])
    try:
        found, _ = find([root / "submission"], chapter)
    except NoSubmission:
        found = []
    if len(found) != 1:
        many = f"there are {len(found)} pieces of work" if found else "there is nothing to grade"
        why = f"{many} here: hand in {chapter.file} and {chapter.tests_file}, and nothing else"
        results.write_text(json.dumps({"score": 0, "output": why, "output_format": "text"}) + "\n", encoding="utf-8")
        print(why)
        return 0
    with tempfile.TemporaryDirectory(prefix="radixlab-") as out:
        where = [str(root / "submission"), "--out", out, "--jobs", "1", "--formats", "gradescope"]
        with contextlib.redirect_stdout(io.StringIO()):  # a table of one row, and where in a folder that is gone soon
            code = cli.main(["grade", *where, *options])
        made = list(Path(out).glob(f"{RESULTS}/*/{RESULT}"))
        if code == 0 and len(made) == 1:
            shutil.copyfile(made[0], results)
            print(json.loads(results.read_text(encoding="utf-8"))["output"])
            return 0
    print(f"no results were written: `ol grade` ended with exit code {code}", file=sys.stderr)
    return code or cli.INFRASTRUCTURE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

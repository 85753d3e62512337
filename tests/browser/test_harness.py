"""The watch over a page itself: neither an error nor a request to another machine goes unseen."""

import pytest


def test_a_request_to_another_machine_is_seen(page):
    page.set_content('<img src="http://radixlab.invalid/picture.png">')
    page.wait_for_load_state("networkidle")
    with pytest.raises(AssertionError, match="left the machine"):
        page.seen.nothing()


@pytest.mark.parametrize("script", ["console.error('said')", "throw new Error('thrown')", "Promise.reject('thrown')"])
def test_an_error_of_a_script_is_seen(page, script):
    with page.expect_event("console" if "console" in script else "pageerror"):
        page.set_content(f"<script>{script}</script>")
    with pytest.raises(AssertionError, match="errors"):
        page.seen.nothing()


def test_a_page_that_stays_at_home_is_fine(page, tmp_path):
    (tmp_path / "a.html").write_text(
        "<p>here</p><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", encoding="utf-8"
    )
    page.goto((tmp_path / "a.html").as_uri())
    page.seen.nothing()

"""Where two trees part: what is seen of each, scripts to try on both, the first difference in words."""

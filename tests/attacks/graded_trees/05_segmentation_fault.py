"""Crashes the process below Python."""

import ctypes


def answer(name, *arguments):
    return ctypes.string_at(0)

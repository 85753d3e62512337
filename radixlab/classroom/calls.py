"""What a run may not ask of the kernel: powers in a namespace of its own, keys, and the dark corners.

Everything else that a sandbox needs to refuse, missing powers refuse already. A new user namespace would give them all
back inside it, and with them a disk of any size and much of the kernel to try out; a key ring belongs to a user and
not to a namespace, so that it would remember one run for the next.
"""

import ctypes
import errno
import os
import struct

_SET_SECCOMP, _FILTER = 22, 2
_NEWUSER = 0x10000000  # of unshare, clone and setns
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_REFUSED = {  # name -> number on x86_64, on aarch64
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "unshare": (272, 97),
    "setns": (308, 268),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
}
_CLONE, _CLONE3 = (56, 220), 435  # clone3 hides its flags from a filter: without it, the C library takes clone
_LOAD, _EQUAL, _ABOVE, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # of the kernel's filter machine
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _MACHINE, _FIRST = 0, 4, 16  # where in a call its number, its architecture and its first argument stand


def refuse() -> None:
    """Refuse these calls to this process and to all that it starts, for good; OSError where the kernel cannot."""
    program = _program(os.uname().machine)
    code = ctypes.create_string_buffer(program, len(program))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code)), 16)
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_SECCOMP, _FILTER, head, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls")


def _program(machine: str) -> bytes:
    """Return the filter for a *machine*; KeyError for one that it is not written for."""
    column = list(_AUDIT).index(machine) if machine in _AUDIT else None
    if column is None:
        raise OSError(errno.ENOSYS, f"no filter of system calls for {machine}")
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),  # another machine's calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    steps += [
        *((_ABOVE, 0, 1, 0x40000000), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)),  # so have those of x32
        *((_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)),
    ]
    for numbers in _REFUSED.values():
        steps += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _REFUSE | errno.EPERM)]
    steps += [
        (_EQUAL, 0, 3, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST),
        (_ANY, 0, 1, _NEWUSER),
        (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)

"""`python -m radixlab` is `ol`."""

import sys

from radixlab.cli import main

sys.exit(main())

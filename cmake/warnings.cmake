# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# One set of compiler flags for everything that is ours.
add_library(moreau_flags INTERFACE)
target_compile_options(moreau_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
  -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wformat=2
  # The same bits on every path and for every thread count.
  -ffp-contract=off)
if(MOREAU_WERROR)
  target_compile_options(moreau_flags INTERFACE -Werror)
endif()

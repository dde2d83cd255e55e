/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau render` in a build without libpng. */
#include "command.h"
#include "text.h"

int command_render(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    say("render", "this program was built without libpng, which render needs; install it (Debian: "
                  "libpng-dev) and build again");
    return EXIT_FAILED;
}

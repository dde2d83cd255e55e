/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau view` in a build without libwebsockets. */
#include "command.h"
#include "text.h"

int command_view(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    say("view", "this program was built without the viewer, which needs libwebsockets; install it "
                "(Debian: libwebsockets-dev) and build again. moreau run --replay FILE.html works "
                "without");
    return EXIT_FAILED;
}

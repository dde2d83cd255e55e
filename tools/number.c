/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void number_trim(char *text)
{
    char *to = strchr(text, 'e'), *from = to ? to + 1 : text;
    if (to && (*from == '-' || *from == '+')) {
        *++to = *from++;
        to += *to == '-';
        from += strspn(from, "0");
        memmove(to, from, strlen(from) + 1);
    }
}

number_text number_real(double value)
{
    number_text number;
    snprintf(number.text, sizeof number.text, value == 0 ? "0" : "%.1e", value);
    number_trim(number.text);
    return number;
}

number_text number_short(double value)
{
    number_text number;
    snprintf(number.text, sizeof number.text, "%.6g", value);
    number_trim(number.text);
    return number;
}

number_text number_exact(double value)
{
    number_text number;
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value) break;
    }
    return number;
}

number_text number_whole(long long value)
{
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%lld", value);
    const int first = value < 0;
    number_text number;
    int at = 0;
    for (int k = 0; k < length; ++k) {
        if (k > first && (length - k) % 3 == 0) number.text[at++] = ',';
        number.text[at++] = digits[k];
    }
    number.text[at] = 0;
    return number;
}

number_text number_seconds(double seconds)
{
    number_text number;
    if (seconds < 1e-3)
        snprintf(number.text, sizeof number.text, "%.0f us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(number.text, sizeof number.text, "%.1f ms", 1e3 * seconds);
    else
        snprintf(number.text, sizeof number.text, "%.*f s", seconds < 100 ? 2 : 0, seconds);
    return number;
}

number_text number_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit)
        bytes /= 1000;
    number_text number;
    snprintf(number.text, sizeof number.text, "%.*f %s", unit > 0 && bytes < 100, bytes,
             units[unit]);
    return number;
}

number_text number_count(long long count, const char *noun)
{
    number_text number;
    snprintf(number.text, sizeof number.text, "%.20s %.15s%s", number_whole(count).text, noun,
             count == 1 ? "" : "s");
    return number;
}

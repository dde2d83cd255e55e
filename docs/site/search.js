/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Search in INDEX (index.js): sections that hold all words; those with a word in title or at the start come first. */
"use strict";
(function () {
    const input = document.getElementById("search"), list = document.getElementById("found");
    const up = document.body.dataset.up, MOST = 15;

    function score(section, words) {
        const title = (section[1] + " " + section[0]).toLowerCase(), text = section[2].toLowerCase();
        let sum = 0;
        for (const word of words) {
            const at = text.indexOf(word);
            if (at < 0 && !title.includes(word)) {
                return 0;
            }
            sum += (title.includes(word) ? 8 : 0) + (at >= 0 && at < 60 ? 6 : 0) + (at >= 0 ? 1 : 0);
        }
        return sum;
    }

    function excerpt(text, words) {
        const at = Math.max(0, Math.min(...words.map(function (word) {
            const found = text.toLowerCase().indexOf(word);
            return found < 0 ? text.length : found;
        })) - 40);
        return (at > 0 ? "… " : "") + text.slice(at, at + 150);
    }

    function item(section, words) {
        const made = document.createElement("li"), link = document.createElement("a");
        const about = document.createElement("span");
        link.href = up + section[0];
        link.textContent = section[1];
        about.textContent = excerpt(section[2], words);
        link.append(about);
        made.append(link);
        return made;
    }

    function search() {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = words.length === 0 ? [] : INDEX.map(function (section) {
            return [score(section, words), section];
        }).filter(function (pair) { return pair[0] > 0; });
        found.sort(function (a, b) { return b[0] - a[0]; });
        list.replaceChildren(...found.slice(0, MOST).map(function (pair) { return item(pair[1], words); }));
        if (words.length > 0 && found.length === 0) {
            const none = document.createElement("li");
            none.textContent = "Nothing found.";
            list.append(none);
        }
        list.hidden = words.length === 0;
    }

    input.addEventListener("input", search);
    input.addEventListener("keydown", function (event) {
        const first = list.querySelector("a");
        if (event.key === "Enter" && first) {
            first.click();
        }
    });
    document.addEventListener("keydown", function (event) {
        if (event.key === "/" && document.activeElement !== input) {
            event.preventDefault();
            input.focus();
        } else if (event.key === "Escape") {
            input.value = "";
            search();
            input.blur();
        }
    });
    list.addEventListener("click", function () { list.hidden = true; });
})();

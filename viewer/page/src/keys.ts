// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* The keyboard. The help shows the same list. */

export interface KeyAction {
    keys: string[]; // values of KeyboardEvent.key
    label: string; // in the help
    does: string;
    run(): void;
}

const TYPING = new Set(["INPUT", "SELECT", "TEXTAREA"]);

/** The scene receives keys unless the user types or holds a modifier. */
export function listenToKeys(actions: KeyAction[]): void {
    window.addEventListener("keydown", (event) => {
        const target = event.target as HTMLElement | null;
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        const typing =
            target !== null &&
            TYPING.has(target.tagName) &&
            (target as HTMLInputElement).type !== "range";
        if (typing || document.querySelector("dialog[open]")) return; // a dialog has its own keys
        if (event.key === " " && target instanceof HTMLButtonElement) return; // the button's own
        // a slider's own
        if (target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
        const action = actions.find(({ keys }) => keys.includes(event.key));
        if (!action) return;
        event.preventDefault();
        action.run();
    });
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * What the tests in a browser share: the program as a child process, chromium, pages whose errors
 * are kept.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

export const SKIPPED = 77;

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(SKIPPED);
}

/** --name value pairs of the command line. */
export function readArguments(defaults) {
    const options = { ...defaults };
    const words = process.argv.slice(2);
    for (let k = 0; k < words.length; k += 2) {
        const name = words[k].replace(/^--/, "");
        if (!(name in options) || words[k + 1] === undefined) {
            console.error(
                `usage: ${process.argv[1]} ${Object.keys(defaults)
                    .map((key) => `[--${key} VALUE]`)
                    .join(" ")}`,
            );
            process.exit(2);
        }
        options[name] = words[k + 1];
    }
    return options;
}

export function findChromium() {
    return (
        ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
            existsSync,
        ) ?? null
    );
}

const FLAGS = [
    "--no-sandbox", // tests often run as root
    "--disable-dev-shm-usage",
    "--enable-unsafe-swiftshader", // WebGL by the processor where there is no graphics card
    // what the server refuses is tested, not what chromium does
    "--disable-features=LocalNetworkAccessChecks",
];

export function launch(executablePath) {
    return chromium.launch({ executablePath, args: FLAGS });
}

/** `moreau view SCENE ...` until stop() is called; the address is what it prints. */
export async function view(program, ...words) {
    const child = spawn(program, ["view", ...words, "--no-open", "--json"], {
        stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (data) => (said += data));
    const ended = new Promise((done) =>
        child.once("exit", (code, signal) => done({ code, signal })),
    );
    const url = await new Promise((done, fail) => {
        createInterface({ input: child.stdout }).once("line", (line) => {
            try {
                done(JSON.parse(line).url);
            } catch {
                fail(new Error(`moreau view printed "${line}"`));
            }
        });
        ended.then(({ code }) =>
            fail(new Error(`moreau view ${words.join(" ")} ended with status ${code}: ${said}`)),
        );
    });
    return {
        url,
        async stop() {
            child.kill("SIGINT");
            return ended;
        },
    };
}

let ownPage = null;

/**
 * From now on pages come from this file in the place of the program's: to try a page without
 * building the program.
 */
export function usePage(file) {
    ownPage = file;
}

/** For pages whose pixels are judged. */
export const SHARP = { deviceScaleFactor: 1 };

/** A page that draws fewer and smaller pictures: they take most of the time of a test. */
export function openCoarsely(browser, address, options = {}) {
    return openPage(browser, address, { deviceScaleFactor: 0.5, ...options }, () => {
        const atNextPicture = window.requestAnimationFrame;
        window.requestAnimationFrame = (draw) => setTimeout(() => atNextPicture(draw), 120);
    });
}

/** Pages that were left, by their options: a new scene in one takes half the time of a new page. */
const idle = new Map();

/** Ends the use of a page of openPage. */
export async function leavePage(page) {
    await page.goto("about:blank");
    idle.get(page.key).push(page);
}

async function newPage(browser, key, options, script) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
    if (script) await page.addInitScript(script);
    page.key = key;
    page.on("pageerror", (error) => page.errors.push(error.message));
    page.on("console", (message) => {
        if (message.type() === "error") page.errors.push(message.text());
    });
    return page;
}

/**
 * A page whose errors are kept in page.errors: exceptions, and what is logged as an error.  It runs
 * the script, where there is one, before its own.
 */
export async function openPage(browser, address, options = {}, script = null) {
    const key = JSON.stringify(options) + (script !== null);
    if (!idle.has(key)) idle.set(key, []);
    const page = idle.get(key).pop() ?? (await newPage(browser, key, options, script));
    page.errors = [];
    if (ownPage && address.startsWith("http"))
        await page.route(new URL("/", address).href, (route) => route.fulfill({ path: ownPage }));
    await page.goto(address);
    return page;
}

/** Waits until `condition` (in the page) holds, for a busy machine's sake rather long. */
export const until = (page, condition, argument) =>
    page.waitForFunction(condition, argument, { timeout: 30000, polling: 50 });

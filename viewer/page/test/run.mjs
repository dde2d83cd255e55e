// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
// Checks the types of the page, then bundles its tests, which are TypeScript too, and hands them to
// node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
const types = spawnSync(
    process.execPath,
    [compiler, "--noEmit", "-p", fileURLToPath(new URL("..", import.meta.url))],
    { stdio: "inherit" },
);
if (types.status !== 0) process.exit(1);

const here = fileURLToPath(new URL(".", import.meta.url));
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(tmpdir(), "moreau-page-"));
await build({
    entryPoints: tests.map((name) => join(here, name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    logLevel: "error",
});
const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
process.exit(status ?? 1);

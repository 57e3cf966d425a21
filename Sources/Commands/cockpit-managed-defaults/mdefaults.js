/** Runs `mdefaults` as the person that is logged in, or by Cockpit's own step as root. Arguments are arrays, never a shell. */

import { _, cockpit } from "./words.js";

/** Why the command gave no answer. */
export class Failure extends Error {
    /** `status` is the exit code if there is one, `answer` what it printed all the same, parsed. */
    constructor(message, { status = null, answer = null, cancelled = false } = {}) {
        super(message);
        Object.assign(this, { status, answer, cancelled });
    }
}

/** The sentence for a problem of Cockpit or an exit of the command. */
function sentence(error, said, privileged) {
    const message = (said || error.message || "").replace(/^usage: [^]*/m, "").trim().replace(/^mdefaults: /gm, "");
    switch (error.problem) {
    case "not-found": return _("mdefaults is not installed on this machine.");
    case "access-denied":
    case "authentication-failed":
        return privileged
            ? _("Administrative access is needed for this: turn it on in Cockpit's top bar (Limited access).")
            : message || _("The machine does not allow this.");
    case "cancelled":
    case "terminated": return error.exit_signal ? _("mdefaults was ended before it answered.") : _("Cancelled.");
    case "disconnected": return _("The connection to the machine was lost.");
    default: return message || error.toString();
    }
}

/** Starts the command; resolves with `{output, messages, status}`. */
function start(args, { privileged = false, input, signal, accept = [0], onText } = {}) {
    return new Promise((resolve, reject) => {
        const options = {
            err: "message", environ: ["NO_COLOR=1", "LC_ALL=C.UTF-8"], ...(privileged && { superuser: "require" })
        };
        const parts = [];
        const process = cockpit.spawn(["mdefaults", ...args], options);
        const cancel = () => process.close("cancelled");
        if (signal?.aborted) cancel();
        signal?.addEventListener("abort", cancel);
        process.stream(onText || (text => { parts.push(text) }));
        process.then(
            (_output, messages) => ({ status: 0, messages: messages || "" }),
            error => accept.includes(error.exit_status)
                ? { status: error.exit_status, messages: error.message || "" }
                : Promise.reject(error))
            .then(
                ended => resolve({ ...ended, output: parts.join("") }),
                error => reject(new Failure(sentence(error, error.message, privileged), {
                    status: error.exit_status ?? null, answer: parse(parts.join("")),
                    cancelled: Boolean(signal?.aborted)
                })))
            .finally(() => signal?.removeEventListener("abort", cancel));
        process.input(input ?? "");
    });
}

/** The document, or null for what is none. */
function parse(text) {
    try { return JSON.parse(text) } catch { return null }
}

/**
 * The parsed answer of `mdefaults --json ARGS`.
 *
 * Rejects with a Failure in the command's own words. `accept` has the exit codes that are answers: [0, 1] for verbs that
 * exit 1 for findings. `privileged` runs it as root by Cockpit's step. `signal` ends the command. `notes(text)` gets what
 * the command says beside its answer.
 */
export async function run(args, options = {}) {
    const { output, messages } = await start(["--json", ...args], options);
    const answer = parse(output);
    if (messages.trim()) options.notes?.(messages.trim().replace(/^mdefaults: /gm, ""));
    if (answer === null) throw new Failure(messages.trim() || _("mdefaults answered with something that is no JSON."));
    return answer;
}

/** What the command prints, and what it says on standard error, as text. */
export async function text(args, options = {}) {
    const { output, messages } = await start(args, options);
    return output || messages;
}

/** Calls `onLine` with each document that the command prints, until it ends or `signal` is aborted. */
export async function stream(args, onLine, options = {}) {
    let rest = "";
    await start(["--json", ...args], {
        ...options,
        onText(part) {
            const lines = (rest + part).split("\n");
            rest = lines.pop();
            for (const line of lines) if (line) onLine(JSON.parse(line));
        }
    }).catch(error => { if (!error.cancelled) throw error });
}

/** The options that ask about another person, host or time. */
export const asked = ({ user, host, at }) => [
    ...(user ? [`--user=${user}`] : []), ...(host ? [`--host=${host}`] : []), ...(at ? [`--at=${at}`] : [])];

/** Whether Cockpit's step to administrative access was taken; calls back when that changes. */
export const administrator = cockpit.permission({ admin: true });

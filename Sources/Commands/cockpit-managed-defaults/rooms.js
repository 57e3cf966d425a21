/** Not there yet. */

export async function available() { return false }

export async function show(root) { root.append("…") }

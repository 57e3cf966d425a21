/** Not there yet. */

export async function show(root) { root.append("…") }

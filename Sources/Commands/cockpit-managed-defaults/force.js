
export async function show(root) { root.append("…") }

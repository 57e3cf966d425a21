/** The list of views, the switch between them, and light or dark as Cockpit has it. */

import { _, cockpit } from "./words.js";
import { abandon, element, failure } from "./elements.js";
import { administrator } from "./mdefaults.js";

/** The views in their order; the rooms are listed only if their module's `available()` resolves to true. */
const views = [
    { name: "force", title: _("In force") },
    { name: "policy", title: _("Policy files") },
    { name: "temporary", title: _("Exams and grants") },
    { name: "attempts", title: _("Attempts") },
    { name: "report", title: _("Report") },
    { name: "programs", title: _("Programs") },
    { name: "rooms", title: _("Rooms") },
];

const [navigation, main] = [document.getElementById("views"), document.getElementById("view")];
let end = null;
let number = 0;

/** What the address says; nothing if it is none, and the last value of an option that is there twice. */
function place() {
    try {
        const { path, options } = cockpit.location;
        return { path, options: Object.fromEntries(Object.entries(options).map(([name, value]) =>
            [name, String([value].flat(Infinity).at(-1))])) };
    } catch {
        return { path: [], options: {} };
    }
}

/** Shows the view that the address names. */
async function turn() {
    const { path, options } = place();
    const view = views.find(each => each.name === path[0]) || views[0];
    const turn = ++number;
    abandon();
    end?.();
    end = null;
    document.title = `${view.title} – ${_("Managed defaults")}`;
    for (const link of navigation.querySelectorAll("a")) {
        if (link.dataset.view === view.name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    const [heading, root] = [element("h1", { tabindex: "-1" }, view.title), element("section", { class: view.name })];
    main.replaceChildren(heading, root);
    if (turn > 1) heading.focus({ preventScroll: true });
    try {
        const module = await import(`./${view.name}.js`);
        const ended = await module.show(root, { path: path.slice(1), options });
        if (turn === number) end = ended;
        else ended?.();
    } catch (error) {
        root.append(failure(error));
    }
}

/** Lists the views. */
function list() {
    navigation.setAttribute("aria-label", _("Views"));
    navigation.append(element("ul", {}, views.map(view => {
        const item = element("li", { hidden: view.name === "rooms" },
            element("a", { href: `#/${view.name}`, "data-view": view.name }, view.title));
        if (view.name === "rooms") {
            import("./rooms.js").then(module => module.available()).then(is => { item.hidden = !is }, () => {});
        }
        return item;
    })));
}

/** Takes the theme that Cockpit's shell keeps: light, dark, or that of the browser. */
function colour(style) {
    const chosen = style || localStorage.getItem("shell:style") || "auto";
    const isDark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.classList.toggle("dark", isDark);
}

colour();
window.addEventListener("storage", event => { if (event.key === "shell:style") colour() });
window.addEventListener("cockpit-style", event => colour(event.detail?.style));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colour());
cockpit.transport.wait(() => {
    document.documentElement.lang = cockpit.language.replace("_", "-");
    list();
    cockpit.addEventListener("locationchanged", turn);
    // What a person may is known a moment after the page is there, and changes with Cockpit's own step.
    let known = null;
    const learn = () => {
        if (administrator.allowed === null || known === administrator.allowed) return;
        known = administrator.allowed;
        turn();
    };
    administrator.addEventListener("changed", learn);
    learn();
    setTimeout(() => { if (known === null) turn() }, 1000);
});

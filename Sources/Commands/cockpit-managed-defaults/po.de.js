/** German for the page: Cockpit serves this file as po.js where the session is German. */
cockpit.locale({
    "": { language: "de", "language-direction": "ltr", "plural-forms": n => n !== 1 },
    // The frame and what all views use
    "Managed defaults": [null, "Vorgaben"],
    "Views": [null, "Ansichten"],
    // In force
    // Policy files
    // Exams and grants, attempts, report, programs, rooms

});

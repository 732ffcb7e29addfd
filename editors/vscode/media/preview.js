// Fills the preview; texts become text nodes, so nothing in a prompt is read as HTML.
(function () {
  const vscode = acquireVsCodeApi();
  const problem = document.getElementById("problem");
  const messages = document.getElementById("messages");
  let shown = "";

  window.addEventListener("message", ({ data }) => {
    problem.hidden = data.error === undefined;
    problem.replaceChildren(...(data.error ?? "").split(/^((?: +\d* \|.*\n?)+)/m).map(paragraph));
    const other = data.file !== shown;
    shown = data.file;
    if (data.error === undefined) {
      const parts = data.messages ?? [{ role: "", text: data.text ?? "" }];
      messages.replaceChildren(...parts.map(section));
    } else if (other) {
      messages.replaceChildren();
    }
    messages.classList.toggle("stale", data.error !== undefined);
    if (other) {
      window.scrollTo(0, 0);
    }
  });

  /** Words of a problem, which wrap; or lines of the prompt with carets below, which do not. */
  function paragraph(text, index) {
    const part = document.createElement(index % 2 ? "pre" : "div");
    part.textContent = text.trimEnd();
    return part;
  }

  function section({ role, text }) {
    const part = document.createElement("section");
    part.dataset.role = role;
    const heading = document.createElement("h2");
    heading.textContent = role;
    const body = document.createElement("pre");
    body.textContent = text;
    body.tabIndex = 0;
    part.append(...(role ? [heading, body] : [body]));
    return part;
  }

  vscode.postMessage("ready");
})();

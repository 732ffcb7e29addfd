// "Run" buttons under examples of Python, which run in the reader's browser: all blocks of the page
// up to that one, in a worker with the Python of the playground.

const SLOW = 60_000; // milliseconds, after which an example is given up

let worker;
let runs = Promise.resolve(); // one after the other

function started() {
  worker ??= new Worker(new URL("run_worker.js", import.meta.url), { type: "module" });
  return worker;
}

function stop() {
  worker?.terminate();
  worker = undefined;
}

/** What steps print, as {printed, failed}; rejects if Python cannot be loaded, or takes too long. */
function run(steps, onReady) {
  return new Promise((resolve, reject) => {
    const python = started();
    let patience;
    const end = (settle, value) => {
      clearTimeout(patience);
      settle(value);
    };
    python.onmessage = ({ data }) => {
      if (data.ready) {
        onReady();
        patience = setTimeout(() => {
          stop();
          end(reject, new Error("it takes too long"));
        }, SLOW);
      } else if (data.error) {
        stop();
        end(reject, new Error(data.error));
      } else {
        end(resolve, data);
      }
    };
    python.onerror = (event) => {
      stop();
      end(reject, new Error(event.message || "Python could not be loaded"));
    };
    python.postMessage(steps);
  });
}

async function stepsOf(place) {
  const answer = await fetch(new URL(`examples/${place.dataset.page}.json`, import.meta.url));
  if (!answer.ok) throw new Error("the example could not be loaded");
  return (await answer.json()).slice(0, Number(place.dataset.block) + 1);
}

function shown(place, text, failed) {
  const output = place.querySelector("pre");
  output.textContent = text || "It prints nothing.";
  output.classList.toggle("pdl-failed", failed);
  output.hidden = false;
}

async function clicked(place, button) {
  const label = button.textContent;
  button.disabled = true;
  button.textContent = worker ? "Running …" : "Starting Python …";
  try {
    const steps = await stepsOf(place);
    const { printed, failed } = await run(steps, () => (button.textContent = "Running …"));
    shown(place, printed, failed);
  } catch (error) {
    shown(place, `It could not be run: ${error.message}`, true);
  } finally {
    button.disabled = false;
    button.textContent = label;
  }
}

for (const place of document.querySelectorAll(".pdl-run")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Run";
  button.className = "pdl-button";
  button.title = "Runs here, with the examples above it. The first time, it loads Python: about 13 MB.";
  const output = document.createElement("pre");
  output.hidden = true;
  output.setAttribute("role", "status");
  output.setAttribute("aria-label", "Output");
  button.addEventListener("click", () => {
    runs = runs.then(() => clicked(place, button));
  });
  place.append(button, output);
}

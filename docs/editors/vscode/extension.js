// The client of `spi lsp`: starts the server, shows narrations in a read-only document and charts in a panel beside it.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const SCHEME = "spi-narration";

let client;

/** Narrations by the path of their virtual document. */
const narrations = new Map();
const changed = new vscode.EventEmitter();

const provider = {
  onDidChange: changed.event,
  provideTextDocumentContent: (uri) => narrations.get(uri.path) ?? "",
};

/** Shows what a run established beside the model. */
async function show(argument, text) {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${argument.text}.txt` });
  narrations.set(uri.path, text);
  changed.fire(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    preview: true,
  });
}

/** The panel with the chart of an attack; there is one, which is reused. */
let panel;

/** Shows the page that draws what a run found. It is whole and offline: its own policy lets it load nothing. */
function draw({ title, page }) {
  panel ??= vscode.window.createWebviewPanel(
    "spi.chart",
    "spi",
    { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
    { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true }
  );
  panel.onDidDispose(() => (panel = undefined));
  panel.title = title;
  panel.webview.html = page;
  panel.reveal(undefined, true);
}

function makeClient() {
  const settings = vscode.workspace.getConfiguration("spi");
  const command = settings.get("path") || "spi";
  return new LanguageClient(
    "spi",
    "spi",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ language: "spi" }],
      initializationOptions: {
        narrations: true,
        charts: true,
        timeout: settings.get("timeout"),
        maxMemory: settings.get("maxMemory"),
        typed: settings.get("typed"),
        sessions: settings.get("sessions"),
      },
      middleware: {
        executeCommand: async (name, args, next) => {
          const result = await next(name, args);
          if (name === "spi.narrate" && typeof result === "string") {
            await show(args[0], result);
          } else if (name === "spi.chart" && result) {
            draw(result);
          }
          return result;
        },
      },
    }
  );
}

async function start() {
  client = makeClient();
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, provider),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (document.uri.scheme === SCHEME) narrations.delete(document.uri.path);
    }),
    vscode.commands.registerCommand("spi.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("spi")) {
        await stop();
        await start();
      }
    })
  );
  await start();
}

module.exports = { activate, deactivate: stop };

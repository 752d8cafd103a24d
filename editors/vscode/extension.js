// The client: starts `nsm lsp` and hands everything else to it.
"use strict";
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
  const command = workspace.getConfiguration("nsm").get("command") || "nsm";
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("nsm", "nsm", server, { documentSelector: [{ language: "nsm" }] });
  return client.start();
};

exports.deactivate = function () {
  return client ? client.stop() : undefined;
};

// A whole game through the engine, from Node.js and without dependencies.
//
//   node node_client.mjs [SEED] [COMMAND...]
//
// The command starts the engine, by default `lusatia-ai engine`. The last line printed is the game as JSON: all moves and the
// result. The same seed gives the same game, also in Python.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

class Engine {
  #process;
  #waiting = new Map(); // id -> what takes the final reply
  #next = 1;

  constructor([command, ...args]) {
    this.#process = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#process.on("error", (error) => this.#fail(error));
    this.#process.on("close", () => this.#fail(new Error("the engine has ended")));
    createInterface({ input: this.#process.stdout }).on("line", (line) => this.#receive(JSON.parse(line)));
  }

  ask(query, fields = {}) {
    const id = String(this.#next++);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.stdin.write(JSON.stringify({ id, query, ...fields }) + "\n");
    });
  }

  #receive(reply) {
    const waiting = this.#waiting.get(reply.id);
    if (reply.warning !== undefined) console.error(`${reply.field}: ${reply.warning}`);
    if (!waiting || reply.final === false) return;
    this.#waiting.delete(reply.id);
    if (reply.error === undefined) waiting.resolve(reply);
    else waiting.reject(new Error(reply.field ? `${reply.field}: ${reply.error}` : reply.error));
  }

  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

async function playGame(engine, seed) {
  let game = await engine.ask("new", { variant: { humans: 3 }, seed });
  const moves = [];
  while (!game.result) {
    const decision = { position: game.position, level: 5, hands: "hidden", seed: seed + moves.length };
    const { move } = await engine.ask("play", { ...decision, limit: { iterations: 30 } });
    moves.push(`${game.seat} ${move}`);
    game = await engine.ask("apply", { position: game.position, stream: game.stream, moves: [move] });
  }
  return { moves, favour: game.result.favour, winners: game.result.winners };
}

const [seed = "7", ...command] = process.argv.slice(2);
const engine = new Engine(command.length ? command : ["lusatia-ai", "engine"]);
const { version } = await engine.ask("version");
console.log(`lusatia-ai ${version}`);
const game = await playGame(engine, Number(seed));
await engine.ask("quit");
console.log(`${game.moves.length} moves; favour ${game.favour.join(", ")}; seat ${game.winners.join(" and ")} wins`);
console.log(JSON.stringify(game));

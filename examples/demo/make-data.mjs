// Writes the files that the demo works on: a small shop's orders, invoices, customers, tickets, logs and notes.
// The same seed gives the same bytes. `node examples/demo/make-data.mjs [directory]`
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FIRST = [
  "Ada",
  "Grace",
  "Alan",
  "Edsger",
  "Barbara",
  "Donald",
  "Radia",
  "Ken",
  "Margaret",
  "Dennis",
  "Frances",
  "Tony",
];
const LAST = [
  "Byron",
  "Murray",
  "Turner",
  "Dijk",
  "Lister",
  "Knoth",
  "Perl",
  "Thomson",
  "Hamill",
  "Ritch",
  "Allan",
  "Hoar",
];
const CITIES = ["London", "Arlington", "Zürich", "Malmö", "Kraków", "Boston", "São Paulo", "Kyōto"];
const GOODS = ["lamp", "desk", "chair", "shelf", "rug", "mirror", "clock", "stool", "vase", "bench"];
const TICKETS = [
  "Parcel came damaged",
  "Wrong colour delivered",
  "Invoice shows the old address",
  "Please cancel",
  "Where is my order?",
];
const TODAY = Date.UTC(2024, 5, 30);
const DAY_MS = 86_400_000;

/** mulberry32: small, seeded, the same on every machine. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const isoDay = (ms) => new Date(ms).toISOString().slice(0, 10);

/** Writes the tree below `root` and returns the number of files. */
export function makeData(root, seed = 20240630) {
  const random = randomFrom(seed);
  const below = (limit) => Math.floor(random() * limit);
  const one = (list) => list[below(list.length)];
  let files = 0;
  const write = (name, text) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    files++;
  };

  const customers = Array.from({ length: 60 }, (_, index) => ({
    id: `C${String(index + 1).padStart(3, "0")}`,
    name: `${one(FIRST)} ${one(LAST)}`,
    city: one(CITIES),
    since: isoDay(TODAY - below(2000) * DAY_MS),
  }));
  for (const customer of customers)
    write(`customers/${customer.id}.json`, `${JSON.stringify(customer, null, 2)}\n`);

  for (let month = 1; month <= 6; month++) {
    for (let part = 1; part <= 4; part++) {
      const rows = ["order,customer,day,article,quantity,price"];
      for (let line = 0; line < 40; line++) {
        const day = `2024-${String(month).padStart(2, "0")}-${String((part - 1) * 7 + 1 + below(7)).padStart(2, "0")}`;
        rows.push(
          `O${month}${part}${String(line).padStart(2, "0")},${one(customers).id},${day},${one(GOODS)},${1 + below(4)},${(5 + below(20_000) / 100).toFixed(2)}`,
        );
      }
      write(`orders/2024-${String(month).padStart(2, "0")}-part${part}.csv`, `${rows.join("\n")}\n`);
    }
  }

  for (let number = 1; number <= 120; number++) {
    const issued = TODAY - below(150) * DAY_MS;
    const due = issued + 30 * DAY_MS;
    const paid = random() < 0.75;
    const invoice = {
      id: `I${String(number).padStart(4, "0")}`,
      customer: one(customers).id,
      issued: isoDay(issued),
      due: isoDay(due),
      status: paid ? "paid" : due < TODAY ? "overdue" : "open",
      lines: Array.from({ length: 1 + below(4) }, () => ({
        article: one(GOODS),
        quantity: 1 + below(3),
        cents: 500 + below(30_000),
      })),
    };
    write(`invoices/${invoice.id}.json`, `${JSON.stringify(invoice)}\n`);
  }

  for (let number = 1; number <= 50; number++) {
    const customer = one(customers);
    write(
      `tickets/T${String(number).padStart(3, "0")}.md`,
      `# ${one(TICKETS)}\n\n- customer: ${customer.id} (${customer.name})\n- opened: ${isoDay(TODAY - below(60) * DAY_MS)}\n- state: ${one(["open", "waiting", "closed"])}\n\nIt is about the ${one(GOODS)} from last month.\n`,
    );
  }

  for (let day = 1; day <= 20; day++) {
    const lines = Array.from({ length: 80 }, (_, index) => {
      const time = new Date(TODAY - day * DAY_MS + index * 600_000).toISOString();
      return `${time} ${one(["INFO", "INFO", "INFO", "WARN", "ERROR"])} ${one(["checkout", "search", "mail", "billing"])} took ${below(900)}ms`;
    });
    write(`logs/shop-${isoDay(TODAY - day * DAY_MS)}.log`, `${lines.join("\n")}\n`);
  }

  for (const [index, customer] of customers.slice(0, 16).entries())
    write(
      `notes/${customer.name.toLowerCase().replace(" ", "-")} ${index + 1}.md`,
      `# Call with ${customer.name}\n\nTalked about the ${one(GOODS)}. TODO: ${one(["send the catalogue", "check the invoice", "call back in July"])}.\n`,
    );
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = process.argv[2] ?? fileURLToPath(new URL("./data", import.meta.url));
  console.log(`${makeData(directory)} files in ${directory}`);
}

/**
 * The rows of one ledger in a store, with an order to claim them in. Logic that every ledger has and no store needs
 * to know.
 *
 * `<name>/items/<id>` is a row and the truth about it. `<name>/order/<group>/<key>~<id>` says that the row is to be
 * found by its key; it is a hint, written before the row and removed after it. So a process that dies in between
 * leaves a hint too many, never one too few, and whoever meets one that does not fit its row removes it.
 *
 * `<name>/last-token` is the greatest token of a row that was removed. New rows begin there, so that a claim on a row
 * that is gone fits no row that is made under its id later.
 */
import type { DurableJsonStore, StoreLock } from "../shared/durable-store.ts";
import { SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";
import type { LedgerRow } from "../shared/ledgers/row.ts";
import { checkId } from "./check.ts";
import { digestOf } from "./json-text.ts";

/** Where a row stands in the order. */
export interface OrderKey {
  readonly group: string;
  /** Sorts as text. */
  readonly key: string;
}

/** A hint as it was read. */
export interface OrderEntry extends OrderKey {
  readonly id: string;
}

/** How rows of one ledger are kept. */
export interface TableOptions<Row extends LedgerRow> {
  readonly store: DurableJsonStore;
  /** Path of the ledger in the store. */
  readonly path: string;
  /** `null`: not to be claimed. */
  readonly orderOf: (row: Row) => OrderKey | null;
  /** The token of the latest claim. Absent: rows of this ledger are not claimed. */
  readonly tokenOf?: (row: Row) => number;
}

interface Stored<Row> {
  readonly row: Row;
  /** Of what `create` was given, to know the same creation again. */
  readonly madeOf: string;
}

/** Reads at a time when many rows are read. */
const READS_AT_ONCE = 16;

export class Table<Row extends LedgerRow> {
  readonly #options: TableOptions<Row>;

  constructor(options: TableOptions<Row>) {
    this.#options = options;
  }

  async get(id: string): Promise<Row | undefined> {
    return (await this.read(id))?.row;
  }

  /** Rows in the order of their ids that `accepts` takes, after `after`, up to `limit`. */
  async list(accepts: (row: Row) => boolean, after: string | undefined, limit: number): Promise<Row[]> {
    const { store, path } = this.#options;
    const ids = (await store.listDir(`${path}/items`)).filter((id) => after === undefined || id > after);
    const rows: Row[] = [];
    for (let at = 0; at < ids.length && rows.length < limit; at += READS_AT_ONCE) {
      const read = await Promise.all(ids.slice(at, at + READS_AT_ONCE).map((id) => this.get(id)));
      for (const row of read) if (row !== undefined && accepts(row)) rows.push(row);
    }
    return rows.slice(0, limit);
  }

  /** The groups that have hints. */
  groups(): Promise<readonly string[]> {
    return this.#options.store.listDir(`${this.#options.path}/order`);
  }

  /** The hints of a group, in their order. */
  async entries(group: string): Promise<OrderEntry[]> {
    const names = await this.#options.store.listDir(`${this.#options.path}/order/${group}`);
    return names.map((name) => {
      const at = name.indexOf("~");
      return { group, key: name.slice(0, at), id: name.slice(at + 1) };
    });
  }

  /** Runs `work` alone on this ledger. Everything that writes goes through here. */
  change<T>(work: (change: TableChange<Row>) => Promise<T>): Promise<T> {
    const { store, path } = this.#options;
    return store.withLock(path, {}, (lock) => work(new TableChange(this, this.#options, lock)));
  }

  /** @internal The greatest token of the rows that are gone. */
  async lastToken(): Promise<number> {
    const path = this.lastTokenPath;
    const value = (await this.#options.store.readJson(path)) ?? 0;
    if (Number.isSafeInteger(value)) return value as number;
    throw new SandboxError("STORE_FAILED", `What the store has at ${path} is no token.`, { path });
  }

  /** @internal */
  get lastTokenPath(): string {
    return `${this.#options.path}/last-token`;
  }

  /** @internal */
  async read(id: string): Promise<Stored<Row> | undefined> {
    const path = `${this.#options.path}/items/${checkId("id", id)}`;
    const value = await this.#options.store.readJson(path);
    if (value === undefined) return undefined;
    const { row, madeOf } = (value ?? {}) as { row?: { id?: unknown }; madeOf?: unknown };
    if (row?.id === id && typeof madeOf === "string") return value as unknown as Stored<Row>;
    throw new SandboxError("STORE_FAILED", `What the store has at ${path} is no row of this ledger.`, {
      path,
    });
  }
}

/** The ledger's rows while its lock is held. */
export class TableChange<Row extends LedgerRow> {
  readonly #table: Table<Row>;
  readonly #options: TableOptions<Row>;
  readonly #lock: StoreLock;

  constructor(table: Table<Row>, options: TableOptions<Row>, lock: StoreLock) {
    this.#table = table;
    this.#options = options;
    this.#lock = lock;
  }

  get(id: string): Promise<Row | undefined> {
    return this.#table.get(id);
  }

  /** The row. @throws SandboxError `LEDGER_INVALID` when there is none. */
  async need(id: string): Promise<Row> {
    const row = await this.get(id);
    if (row !== undefined) return row;
    const { path } = this.#options;
    throw new SandboxError("LEDGER_INVALID", `There is no ${JSON.stringify(id)} in ${path}.`, { id, path });
  }

  /**
   * The row of this id, made of `given` before; or a new one, whose tokens must be greater than `lastToken`.
   *
   * @throws SandboxError `STORE_CONFLICT` for a row that was made of something else.
   */
  async create(id: string, given: JsonValue, make: (lastToken: number) => Promise<Row> | Row): Promise<Row> {
    const madeOf = digestOf(given);
    const there = await this.#table.read(id);
    if (there === undefined) {
      const lastToken = this.#options.tokenOf === undefined ? 0 : await this.#table.lastToken();
      return this.#write({ row: await make(lastToken), madeOf }, undefined);
    }
    if (there.madeOf === madeOf) return there.row;
    const message = `${JSON.stringify(id)} is in ${this.#options.path} already, made of something else.`;
    throw new SandboxError("STORE_CONFLICT", message, { id, path: this.#options.path });
  }

  /** Writes a row that is there, changed. */
  async put(row: Row): Promise<Row> {
    const before = await this.#table.read(row.id);
    return this.#write({ row, madeOf: before?.madeOf ?? "" }, before?.row);
  }

  async remove(rows: readonly Row[]): Promise<void> {
    const { store, path, orderOf } = this.#options;
    await this.#keepLastToken(rows);
    for (const row of rows) {
      const order = orderOf(row);
      await store.remove(`${path}/items/${row.id}`, { lock: this.#lock });
      if (order !== null) await this.#removeEntry({ ...order, id: row.id });
    }
  }

  /** Before the rows go: one who dies in between leaves a number that is too great, which does no harm. */
  async #keepLastToken(rows: readonly Row[]): Promise<void> {
    const { store, tokenOf } = this.#options;
    if (tokenOf === undefined || rows.length === 0) return;
    const greatest = Math.max(...rows.map(tokenOf));
    if (greatest <= (await this.#table.lastToken())) return;
    await store.writeJson(this.#table.lastTokenPath, greatest, { lock: this.#lock });
  }

  groups(): Promise<readonly string[]> {
    return this.#table.groups();
  }

  entries(group: string): Promise<OrderEntry[]> {
    return this.#table.entries(group);
  }

  /** The row of a hint; undefined, and the hint is gone, when it does not fit. */
  async rowOf(entry: OrderEntry): Promise<Row | undefined> {
    const row = await this.get(entry.id);
    const order = row === undefined ? null : this.#options.orderOf(row);
    if (order?.key === entry.key && order.group === entry.group) return row;
    await this.#removeEntry(entry);
    return undefined;
  }

  async #write(stored: Stored<Row>, before: Row | undefined): Promise<Row> {
    const { store, path, orderOf } = this.#options;
    const { row } = stored;
    const was = before === undefined ? null : orderOf(before);
    const is = orderOf(row);
    const isMoved = was?.key !== is?.key || was?.group !== is?.group;
    const options = { lock: this.#lock };
    if (is !== null && isMoved) await store.writeJson(this.#pathOf({ ...is, id: row.id }), null, options);
    await store.writeJson(`${path}/items/${row.id}`, stored as unknown as JsonValue, options);
    if (was !== null && isMoved) await this.#removeEntry({ ...was, id: row.id });
    return row;
  }

  #removeEntry(entry: OrderEntry): Promise<void> {
    return this.#options.store.remove(this.#pathOf(entry), { lock: this.#lock });
  }

  #pathOf({ group, key, id }: OrderEntry): string {
    return `${this.#options.path}/order/${group}/${key}~${id}`;
  }
}

/** The table of `head-slots.ts` in memory: 32 bytes a slot, for as many runs as a log has. */
import {
  emptySlots,
  firstSlot,
  isEmptySlot,
  type RunTip,
  readSlot,
  SLOT_BYTES,
  slotKeyOf,
  writeSlot,
} from "./head-slots.ts";

/** Slots of a new table: a power of two. */
const FIRST_SLOTS = 1024;
/** Part of the slots that are used at most. */
const MAX_LOAD = 0.6;

const NO_KEY = Buffer.alloc(16);

export class HeadTable {
  #slots: Buffer;
  #used: number;

  /** @param slots Of another table, taken over. */
  constructor(slots: Buffer = emptySlots(FIRST_SLOTS), used = 0) {
    this.#slots = slots;
    this.#used = used;
  }

  /** Its slots as they stand. */
  get bytes(): Buffer {
    return this.#slots;
  }

  get used(): number {
    return this.#used;
  }

  /** Of what a log must look at instead: none. */
  get bytesOnDisk(): number {
    return 0;
  }

  /** Whether every slot is as it was written, and as many as were used. */
  isSound(): boolean {
    let used = 0;
    for (let offset = 0; offset < this.#slots.length; offset += SLOT_BYTES) {
      const state = readSlot(this.#slots, offset, NO_KEY);
      if (state === "damaged") return false;
      if (state !== "empty") used += 1;
    }
    return used === this.#used;
  }

  find(runId: string): RunTip | undefined {
    const key = slotKeyOf(runId);
    const tip = readSlot(this.#slots, this.#offsetOf(key), key);
    return typeof tip === "string" ? undefined : tip;
  }

  set(runId: string, tip: RunTip): void {
    this.setByKey(slotKeyOf(runId), tip);
  }

  setByKey(key: Buffer, tip: RunTip): void {
    const offset = this.#offsetOf(key);
    if (isEmptySlot(this.#slots, offset)) this.#used += 1;
    writeSlot(this.#slots, offset, key, tip);
    if (this.#used > MAX_LOAD * (this.#slots.length / SLOT_BYTES)) this.#grow();
  }

  /** Of the slot that the run has, or would have. */
  #offsetOf(key: Buffer): number {
    const slots = this.#slots.length / SLOT_BYTES;
    for (let slot = firstSlot(key, slots); ; slot = (slot + 1) % slots) {
      const found = readSlot(this.#slots, slot * SLOT_BYTES, key);
      if (found !== "another" && found !== "damaged") return slot * SLOT_BYTES;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = emptySlots((2 * old.length) / SLOT_BYTES);
    for (let offset = 0; offset < old.length; offset += SLOT_BYTES) {
      if (isEmptySlot(old, offset)) continue;
      const slot = old.subarray(offset, offset + SLOT_BYTES);
      slot.copy(this.#slots, this.#offsetOf(slot.subarray(0, 16)));
    }
  }
}

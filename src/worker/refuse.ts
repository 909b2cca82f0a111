/** Functions that are not there any more; a call says so. */
export function refuse(owner: object, names: readonly string[]): void {
  for (const name of names) {
    if (!(name in owner)) continue;
    const value = (): never => {
      throw new Error(`${name} is not available in this process`);
    };
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  }
}

/** {@link refuse} for every function that an object holds itself, `constructor` and `kept` apart. */
export function refuseAll(owner: object, kept: readonly string[] = []): void {
  const names = Object.getOwnPropertyNames(owner).filter((name) => {
    const { value, configurable } = Object.getOwnPropertyDescriptor(owner, name) ?? {};
    return (
      configurable === true && typeof value === "function" && name !== "constructor" && !kept.includes(name)
    );
  });
  refuse(owner, names);
}

/** The names of places that tasks wait for, as the waker of this process has last read them. */
export class WaitedFor {
  #names: ReadonlySet<string> = new Set();

  has(name: string): boolean {
    return this.#names.size > 0 && this.#names.has(name);
  }

  replace(names: Iterable<string>): void {
    this.#names = new Set(names);
  }
}

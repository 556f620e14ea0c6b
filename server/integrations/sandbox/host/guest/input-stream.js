import { say } from './say.js';
import { outsideError } from './texts.js';

/** How many items are requested at once: first a single one, so that it comes soon, then more and more. */
const MOST_WANTED = 64;

/** A stream as the code sees it: `for await (const item of input)`. */
export class InputStream {
  /** @type {unknown[]} */
  #items = [];
  /** @type {{ resolve: (result: IteratorResult<unknown>) => void, reject: (error: Error) => void }[]} */
  #waiting = [];
  #wanted = 0;
  #nextWish = 1;
  #ended = false;
  /** @type {Error | undefined} */
  #failure = undefined;
  #id;

  /** @param {number} id the call */
  constructor(id) {
    this.#id = id;
    Object.freeze(this);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<unknown>>} */
  next() {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#serve();
    });
  }

  /** @returns {Promise<IteratorResult<unknown>>} */
  async return() {
    this.end();
    this.#items = [];
    return { done: true, value: undefined };
  }

  /** @type {(text: string) => void} one item as JSON */
  take(text) {
    this.#wanted--;
    if (!this.#ended) this.#items.push(JSON.parse(text));
    this.#serve();
  }

  end() {
    this.#ended = true;
    this.#serve();
  }

  /** @type {(text: string) => void} */
  fail(text) {
    this.#failure = outsideError(text);
    this.end();
  }

  #serve() {
    while (this.#waiting.length > 0) {
      if (this.#items.length > 0) this.#waiting.shift()?.resolve({ done: false, value: this.#items.shift() });
      else if (this.#ended) this.#endNext();
      else return this.#wish();
    }
  }

  #endNext() {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) this.#waiting.shift()?.reject(failure);
    else this.#waiting.shift()?.resolve({ done: true, value: undefined });
  }

  #wish() {
    if (this.#wanted > 0) return;
    this.#wanted = this.#nextWish;
    this.#nextWish = Math.min(MOST_WANTED, this.#nextWish * 4);
    say('W', this.#id, String(this.#wanted));
  }
}

// Code could make the stream of another call with it.
Reflect.deleteProperty(InputStream.prototype, 'constructor');

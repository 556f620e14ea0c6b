import { workerData } from 'node:worker_threads';

/** In place of `strip-worker.js`: for “waits” the thread gets no processor time for three seconds, for “works” it never ends. */
const { port, signal } =
  /** @type {{ port: import('node:worker_threads').MessagePort, signal: Int32Array }} */ (workerData);

const tell = (/** @type {string} */ source) => {
  port.postMessage({ source });
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
};

port.on('message', (/** @type {string} */ source) => {
  if (source === 'waits') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
  while (source === 'works');
  tell(source);
});

tell('');

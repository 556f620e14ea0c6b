/** The engine's checks, on their own so that they can be loaded on their own. */
export { check } from '#engine/check';

/** The engine's checks, in a separate module so that they can be loaded separately. */
export { check, usedStatements } from '#engine/check';

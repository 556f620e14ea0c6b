/** The parts of the engine's checks that the list of flows needs; loaded with the first action that uses them. */
export { formatFlow, parse } from '#engine/check';

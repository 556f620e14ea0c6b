/** What of the engine's checks the list of flows needs; loaded with the first action that does. */
export { formatFlow, parse } from '#engine/check';

/** Prefixes of `model` with which a client that knows no modes names an app or a flow. */
export const APP_PREFIX = 'app:';
export const FLOW_PREFIX = 'flow:';

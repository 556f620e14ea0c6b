/** Prefixes of `model` with which a client that knows no modes names an app or a flow. */
export const APP_PREFIX = 'app:';
export const FLOW_PREFIX = 'flow:';
/** And a knowledge space by its name, or a connection to a database. */
export const KNOWLEDGE_PREFIX = 'knowledge:';
export const DATA_PREFIX = 'data:';

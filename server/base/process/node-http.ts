/**
 * Node's HTTP. An `import` of it reads all its exports, including `WebSocket`, for which Node loads a whole HTTP
 * client: 13 MB and as much time as 50 of our files.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');

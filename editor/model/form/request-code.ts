import type { HttpRequest } from './trigger-request.ts';

/** A request as code of a caller. Bodies of files are left to the caller. */

export function fetchOf({ method, url, headers, body }: HttpRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length > 0 ? [`  headers: ${JSON.stringify(Object.fromEntries(headers))},`] : []),
    ...(typeof body === 'string' ? [`  body: ${bodyText(body, 'JSON.stringify')},`] : []),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${JSON.stringify(url)}${given});\nconsole.log(response.status, await response.text());\n`;
}

/** With the library `requests`. */
export function pythonOf({ method, url, headers, body }: HttpRequest): string {
  const options = [
    `    ${JSON.stringify(url)},`,
    ...(headers.length > 0 ? [`    headers=${pythonValue(Object.fromEntries(headers))},`] : []),
    ...(typeof body === 'string' ? [`    data=${bodyText(body, 'json.dumps')},`] : []),
  ];
  const imports = options.some((line) => line.includes('json.dumps'))
    ? 'import json\nimport requests'
    : 'import requests';
  return `${imports}\n\nresponse = requests.request(\n    ${JSON.stringify(method)},\n${options.join('\n')}\n)\nprint(response.status_code, response.text)\n`;
}

/** JSON as a value of the language, so that it can be changed; any other text as a text. */
function bodyText(body: string, encode: 'JSON.stringify' | 'json.dumps'): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return JSON.stringify(body);
    const written = encode === 'json.dumps' ? pythonValue(value) : JSON.stringify(value);
    return `${encode}(${written})`;
  } catch {
    return JSON.stringify(body);
  }
}

function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonValue(one)}`);
  return `{${fields.join(', ')}}`;
}

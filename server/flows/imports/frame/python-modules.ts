/** Modules of Python's own library that need no system around them. */
const LIBRARY = new Set(
  `__future__ abc argparse array ast asyncio base64 binascii bisect bz2 calendar cmath codecs collections colorsys configparser
  contextlib contextvars copy csv dataclasses datetime decimal difflib email enum errno fnmatch fractions functools gettext
  glob graphlib gzip hashlib heapq hmac html inspect io ipaddress itertools json keyword locale logging lzma math mimetypes
  numbers operator os pathlib pickle platform plistlib pprint queue quopri random re secrets shlex shutil sqlite3 statistics
  string stringprep struct sys tarfile tempfile textwrap time tomllib traceback types typing unicodedata urllib uuid
  warnings weakref xml zipfile zlib zoneinfo`.split(/\s+/),
);

/** The modules that the code imports, by the first part of their names. */
export function importsOf(source: string): string[] {
  const names = new Set<string>();
  for (const [, list = '', from = ''] of source.matchAll(
    /^[ \t]*(?:import[ \t]+([^\n#;]+)|from[ \t]+([\w.]+)[ \t]+import\b)/gm,
  ))
    for (const one of from === '' ? list.split(',') : [from]) {
      const [name = ''] = one.trim().split(/[\s.]/);
      if (/^\w+$/.test(name)) names.add(name);
    }
  return [...names];
}

/** Those of the imported modules that Python does not bring along. */
export const foreignModules = (imports: readonly string[]): string[] =>
  imports.filter((name) => !LIBRARY.has(name));

/** Whether the code sends requests by itself, for which it has no sockets. */
export const opensConnections = (source: string): boolean => /\burllib\.request\b|\burlopen\b/.test(source);

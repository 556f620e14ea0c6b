const SECTION = /^\s*\[([\w.-]+)\]\s*(?:#.*)?$/;
const TEXT = /^\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:#.*)?$/;

/** The texts of a package's manifest by `section.key`. Manifests use only sections and one-line texts of TOML. */
export function manifestTexts(toml: string): Map<string, string> {
  const texts = new Map<string, string>();
  let section = '';
  for (const line of toml.split(/\r?\n/)) {
    const [, name] = SECTION.exec(line) ?? [];
    if (name !== undefined) section = name;
    const [, key, quoted, plain] = TEXT.exec(line) ?? [];
    if (key !== undefined) texts.set(`${section}.${key}`, plain ?? unescaped(quoted ?? ''));
  }
  return texts;
}

/** The escapes that TOML shares with JSON; a text with another one stays as it is. */
function unescaped(quoted: string): string {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return quoted;
  }
}

/**
 * A stand-in for Luxon before code of n8n that names it, with only the members that the code uses. Whatever else of Luxon it uses
 * is an error with its name, never another value.
 */
export function luxonPrelude(source: string, zone: string): string {
  return `const luxon = ((HERE) => {${asked(LUXON, source)}})(${JSON.stringify(zone)});
const { DateTime, Duration } = luxon;`;
}

/** Names of Luxon that code may ask for and that are not there. */
export const LUXON_LACKING = /\bInterval\.(?:from|after|before)|\bluxon\.(?:Interval|Info|Settings)\b/;

/** Members that JavaScript itself reads. */
const ALWAYS: ReadonlySet<string> = new Set(['constructor', 'toJSON', 'toString', 'valueOf']);

const MEMBER = /^ {4}(?:static |get )?(\w+)\(.*?\{(?:.*\}|\n[\s\S]*?^ {4}\})$\n/gm;

/** The text without the members of its classes that nothing names. */
function asked(text: string, source: string): string {
  const members = [...text.matchAll(MEMBER)].map(([all, name = '']) => ({ all, name }));
  const rest = text.replaceAll(MEMBER, '');
  const kept = new Set(members.filter(({ name }) => ALWAYS.has(name)));
  const isNamed = (name: string, by: string): boolean => new RegExp(`\\b${name}\\b`).test(by);
  for (let before = -1; before < kept.size; ) {
    before = kept.size;
    const by = [source, rest, ...[...kept].map(({ all }) => all)].join('\n');
    for (const member of members) if (!kept.has(member) && isNamed(member.name, by)) kept.add(member);
  }
  const dropped = new Set(members.filter((member) => !kept.has(member)).map(({ all }) => all));
  return text.replaceAll(MEMBER, (all) => (dropped.has(all) ? '' : all));
}

const LUXON = String.raw`
  const DAY = 86400000, UNITS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'];
  const MS = { week: 7 * DAY, day: DAY, hour: 3600000, minute: 60000, second: 1000, millisecond: 1, month: 30 * DAY, quarter: 91 * DAY, year: 365 * DAY };
  const unitOf = (name) => {
    const unit = String(name).toLowerCase().replace(/s$/, '');
    if (!UNITS.includes(unit)) throw new Error('Invalid unit ' + name);
    return unit;
  };
  const pad = (n, to = 2) => (n < 0 ? '-' : '') + String(Math.abs(n)).padStart(to, '0');
  /** A name that Luxon may have and this does not. */
  const strict = (what) => new Proxy({}, { get(_, name) {
    if (typeof name === 'symbol' || name === 'then' || name in Object.prototype) return Object.prototype[name];
    throw new Error(what + '.' + name + ' of Luxon is not there in code here.');
  } });
  const formats = new Map();
  const intl = (locale, options) => {
    const key = JSON.stringify([locale, options]);
    if (!formats.has(key)) {
      if (typeof Intl === 'undefined') throw new Error('This sandbox has no time zones and no languages.');
      formats.set(key, new Intl.DateTimeFormat(locale, options));
    }
    return formats.get(key);
  };
  /** Minutes by which the clocks of a zone are ahead of UTC. */
  const offsetAt = (ms, zone) => {
    if (/^(?:utc|gmt|etc\/utc)$/i.test(zone)) return 0;
    const fixed = /^UTC([+-]\d{1,2})(?::?(\d\d))?$/i.exec(zone);
    if (fixed) return Number(fixed[1]) * 60 + Number(fixed[2] ?? 0) * (fixed[1][0] === '-' ? -1 : 1);
    const options = { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' };
    const p = Object.fromEntries(intl('en-US', options).formatToParts(ms).map((one) => [one.type, Number(one.value)]));
    return (Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) - Math.floor(ms / 1000) * 1000) / 60000;
  };
  /** The moment at which the clocks of a zone show a time, which is given as if it were in UTC. */
  const momentOf = (local, zone, near) => {
    if (near !== undefined && offsetAt(local - near * 60000, zone) === near) return local - near * 60000;
    const first = local - offsetAt(local, zone) * 60000;
    const second = local - offsetAt(first, zone) * 60000;
    if (second === first || offsetAt(second, zone) === offsetAt(first, zone)) return second;
    return local - Math.min(offsetAt(first, zone), offsetAt(second, zone)) * 60000;
  };
  const daysIn = (year, month) => new Date(Date.UTC(year, month, 0)).getUTCDate();
  const zoneOf = (zone, otherwise) => {
    if (zone === undefined || zone === null) return otherwise;
    if (typeof zone === 'number') return 'UTC' + (zone < 0 ? '-' : '+') + Math.floor(Math.abs(zone) / 60) + (zone % 60 ? ':' + pad(Math.abs(zone) % 60) : '');
    const name = String(zone.name ?? zone);
    return /^(?:local|system|default)$/.test(name) ? HERE : /^(?:utc|gmt)$/i.test(name) ? 'UTC' : name;
  };

  class Duration {
    constructor(values) { for (const [name, n] of Object.entries(values)) this[unitOf(name) + 's'] = n; }
    static fromObject(values) { return new Duration(values); }
    static fromMillis(milliseconds) { return new Duration({ milliseconds }); }
    get isValid() { return true; }
    toObject() { return { ...this }; }
    toMillis() { return Object.entries(this).reduce((sum, [name, n]) => sum + n * MS[unitOf(name)], 0); }
    valueOf() { return this.toMillis(); }
    as(unit) { return this.toMillis() / MS[unitOf(unit)]; }
    negate() { return new Duration(Object.fromEntries(Object.entries(this).map(([name, n]) => [name, n === 0 ? 0 : -n]))); }
    shiftTo(...names) {
      let left = this.toMillis();
      const units = UNITS.filter((unit) => names.map(unitOf).includes(unit));
      return new Duration(Object.fromEntries(units.map((unit, i) => {
        const n = i === units.length - 1 ? left / MS[unit] : Math.trunc(left / MS[unit]);
        left -= n * MS[unit];
        return [unit, n];
      })));
    }
    toISO() {
      const d = this.toObject(), part = (name, letter) => (d[name] ? d[name] + letter : '');
      const seconds = (d.seconds ?? 0) + (d.milliseconds ?? 0) / 1000;
      const day = part('years', 'Y') + (d.months || d.quarters ? (d.months ?? 0) + 3 * (d.quarters ?? 0) + 'M' : '') + part('weeks', 'W') + part('days', 'D');
      const time = part('hours', 'H') + part('minutes', 'M') + (seconds ? seconds + 'S' : '');
      return day + time === '' ? 'PT0S' : 'P' + day + (time && 'T' + time);
    }
    toJSON() { return this.toISO(); }
    toString() { return this.toISO(); }
    toFormat(format) {
      const names = { d: 'days', h: 'hours', m: 'minutes', s: 'seconds', S: 'milliseconds' };
      const used = [...new Set(format.replace(/'[^']*'/g, '').match(/[dhmsS]/g) ?? [])].map((letter) => names[letter]);
      const d = this.shiftTo(...used);
      return format.replace(/'([^']*)'|([dhmsS])\2*/g, (all, text, letter) => text ?? pad(Math.floor(d[names[letter]] ?? 0), all.length));
    }
  }
  for (const unit of UNITS) Object.defineProperty(Duration.prototype, unit + 's', { get() { return 0; }, set(n) { Object.defineProperty(this, unit + 's', { value: n, enumerable: true }); } });
  Object.setPrototypeOf(Duration.prototype, strict('Duration'));

  const MONTHS = 'January February March April May June July August September October November December'.split(' ');
  const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
  const isEnglish = (locale) => /^en\b/i.test(locale);
  const D = { n: 'numeric', s: 'short', l: 'long' };
  const DATES = {
    DATE_SHORT: { year: D.n, month: D.n, day: D.n }, DATE_MED: { year: D.n, month: D.s, day: D.n },
    DATE_MED_WITH_WEEKDAY: { year: D.n, month: D.s, day: D.n, weekday: D.s },
    DATE_FULL: { year: D.n, month: D.l, day: D.n }, DATE_HUGE: { year: D.n, month: D.l, day: D.n, weekday: D.l },
    TIME_SIMPLE: { hour: D.n, minute: D.n }, TIME_WITH_SECONDS: { hour: D.n, minute: D.n, second: D.n },
    TIME_24_SIMPLE: { hour: D.n, minute: D.n, hourCycle: 'h23' }, TIME_24_WITH_SECONDS: { hour: D.n, minute: D.n, second: D.n, hourCycle: 'h23' },
  };
  Object.assign(DATES, {
    DATETIME_SHORT: { ...DATES.DATE_SHORT, ...DATES.TIME_SIMPLE }, DATETIME_MED: { ...DATES.DATE_MED, ...DATES.TIME_SIMPLE },
    DATETIME_FULL: { ...DATES.DATE_FULL, ...DATES.TIME_SIMPLE, timeZoneName: D.s },
    DATETIME_HUGE: { ...DATES.DATE_HUGE, ...DATES.TIME_SIMPLE, timeZoneName: D.l },
  });
  const MACROS = {
    D: DATES.DATE_SHORT, DD: DATES.DATE_MED, DDD: DATES.DATE_FULL, DDDD: DATES.DATE_HUGE, t: DATES.TIME_SIMPLE, tt: DATES.TIME_WITH_SECONDS,
    T: DATES.TIME_24_SIMPLE, TT: DATES.TIME_24_WITH_SECONDS, f: DATES.DATETIME_SHORT, ff: DATES.DATETIME_MED, fff: DATES.DATETIME_FULL, ffff: DATES.DATETIME_HUGE,
  };
  const fieldsOf = (given) => {
    const known = { ...Object.fromEntries(UNITS.map((unit) => [unit, 1])), weekday: 1, ordinal: 1 };
    return Object.fromEntries(Object.entries(given).map(([name, n]) => {
      const field = String(name).replace(/s$/, '');
      if (!known[field] || field === 'quarter' || field === 'week') throw new Error('Invalid unit ' + name);
      return [field, Number(n)];
    }));
  };

  class DateTime {
    constructor(ts, { zone = HERE, locale = 'en-US', invalid = null } = {}) {
      let why = Number.isFinite(ts) ? invalid : (invalid ?? 'invalid input'), offset = NaN;
      if (why === null) try { offset = offsetAt(ts, zone); } catch (error) { if (typeof Intl === 'undefined') throw error; why = 'unsupported zone'; }
      const hidden = { ts: why === null ? ts : NaN, zoneName: why === null ? zone : null, locale, invalidReason: why, offset, local: new Date(ts + offset * 60000) };
      for (const [name, value] of Object.entries(hidden)) Object.defineProperty(this, name, { value });
    }
    get isValid() { return this.invalidReason === null; }
    get invalidExplanation() { return this.invalidReason; }
    get zone() { return { name: this.zoneName, isValid: this.isValid }; }
    get year() { return this.local.getUTCFullYear(); }
    get month() { return this.local.getUTCMonth() + 1; }
    get day() { return this.local.getUTCDate(); }
    get hour() { return this.local.getUTCHours(); }
    get minute() { return this.local.getUTCMinutes(); }
    get second() { return this.local.getUTCSeconds(); }
    get millisecond() { return this.local.getUTCMilliseconds(); }
    get quarter() { return Math.ceil(this.month / 3); }
    get weekday() { return this.isValid ? this.local.getUTCDay() || 7 : NaN; }
    get ordinal() { return Math.floor((Date.UTC(this.year, this.month - 1, this.day) - Date.UTC(this.year, 0, 1)) / DAY) + 1; }
    get weekYear() { return new Date(this.local.getTime() + (4 - this.weekday) * DAY).getUTCFullYear(); }
    get weekNumber() { return Math.floor((this.local.getTime() + (4 - this.weekday) * DAY - Date.UTC(this.weekYear, 0, 1)) / DAY / 7) + 1; }
    get daysInMonth() { return daysIn(this.year, this.month); }
    get isInLeapYear() { return daysIn(this.year, 2) === 29; }
    get daysInYear() { return this.isInLeapYear ? 366 : 365; }
    get monthLong() { return this.isValid ? this.named('month', 'long') : null; }
    get monthShort() { return this.isValid ? this.named('month', 'short') : null; }
    get weekdayLong() { return this.isValid ? this.named('weekday', 'long') : null; }
    get weekdayShort() { return this.isValid ? this.named('weekday', 'short') : null; }
    named(what, length) {
      const english = what === 'month' ? MONTHS[this.month - 1] : DAYS[this.weekday - 1];
      if (isEnglish(this.locale)) return length === 'short' ? english.slice(0, 3) : english;
      return intl(this.locale, { [what]: length, timeZone: 'UTC' }).format(this.local);
    }
    like(ts, more) { return new DateTime(ts, { zone: this.zoneName ?? HERE, locale: this.locale, invalid: this.invalidReason, ...more }); }
    plus(given, sign = 1) {
      if (!this.isValid) return this;
      const values = typeof given === 'number' ? { milliseconds: given } : { ...given };
      const d = {};
      for (const [name, n] of Object.entries(values)) d[unitOf(name)] = (d[unitOf(name)] ?? 0) + sign * Number(n);
      const { year = 0, quarter = 0, month = 0, week = 0, day = 0 } = d;
      const months = this.year * 12 + this.month - 1 + year * 12 + quarter * 3 + month;
      const y = Math.floor(months / 12), m = (((months % 12) + 12) % 12) + 1;
      let ts = this.ts;
      if (year || quarter || month || week || day) {
        const date = Math.min(this.day, daysIn(y, Math.trunc(m))) + Math.trunc(day) + Math.trunc(week) * 7;
        const local = Date.UTC(y, Math.trunc(m) - 1, date, this.hour, this.minute, this.second, this.millisecond);
        ts = momentOf(local, this.zoneName, this.offset) + ((day % 1) + (week % 1) * 7) * DAY;
      }
      for (const unit of ['hour', 'minute', 'second', 'millisecond']) ts += (d[unit] ?? 0) * MS[unit];
      return this.like(ts);
    }
    minus(given) { return this.plus(given, -1); }
    set(given) {
      if (!this.isValid) return this;
      const { year = this.year, month = this.month, weekday, ordinal, ...rest } = fieldsOf(given);
      const { hour = this.hour, minute = this.minute, second = this.second, millisecond = this.millisecond } = rest;
      let day = rest.day ?? Math.min(this.day, daysIn(year, month));
      if (weekday !== undefined) day += weekday - this.weekday;
      const date = ordinal === undefined ? Date.UTC(year, month - 1, day) : Date.UTC(year, 0, ordinal);
      return this.like(momentOf(date + hour * 3600000 + minute * 60000 + second * 1000 + millisecond, this.zoneName, this.offset));
    }
    startOf(name) {
      const unit = unitOf(name), at = UNITS.indexOf(unit), set = {};
      if (unit === 'week') set.weekday = 1;
      if (unit === 'quarter') set.month = this.quarter * 3 - 2;
      if (unit === 'year') set.month = 1;
      if (at < UNITS.indexOf('week')) set.day = 1;
      for (const [i, low] of UNITS.entries()) if (i > at && i > UNITS.indexOf('day')) set[low] = 0;
      return this.set(set);
    }
    endOf(name) { return this.plus({ [unitOf(name)]: 1 }).startOf(name).minus(1); }
    setZone(zone, { keepLocalTime = false } = {}) {
      const to = zoneOf(zone, HERE);
      return this.like(keepLocalTime && this.isValid ? momentOf(this.local.getTime(), to) : this.ts, { zone: to });
    }
    toUTC() { return this.setZone('UTC'); }
    toLocal() { return this.setZone(HERE); }
    setLocale(locale) { return this.like(this.ts, { locale }); }
    reconfigure({ locale = this.locale }) { return this.setLocale(locale); }
    diff(other, names = 'milliseconds') {
      const units = UNITS.filter((unit) => [names].flat().map(unitOf).includes(unit));
      if (this.ts < other.ts) return other.diff(this, names).negate();
      const found = Object.fromEntries(units.map((unit) => [unit, 0])), dates = units.filter((unit) => UNITS.indexOf(unit) < 5);
      const end = this.setZone(other.zoneName), dayOf = (at) => Date.UTC(at.year, at.month - 1, at.day) / DAY;
      let cursor = other, high, last;
      for (const unit of dates) {
        const days = dayOf(end) - dayOf(cursor), years = end.year - cursor.year;
        let n = { year: years, quarter: end.quarter - cursor.quarter + years * 4, month: end.month - cursor.month + years * 12, week: Math.floor(days / 7), day: days }[unit];
        while (n > 0 && cursor.plus({ [unit]: n }).ts > end.ts) n -= 1;
        high = cursor.plus({ [unit]: n + 1 });
        cursor = cursor.plus({ [unit]: n });
        found[unit] = n;
        last = unit;
      }
      const times = units.filter((unit) => UNITS.indexOf(unit) >= 5);
      if (times.length > 0) Object.assign(found, new Duration({ milliseconds: end.ts - cursor.ts }).shiftTo(...times).named());
      else if (last && high.ts > cursor.ts) found[last] += (end.ts - cursor.ts) / (high.ts - cursor.ts);
      return new Duration(found);
    }
    diffNow(names) { return this.diff(DateTime.now(), names); }
    hasSame(other, unit) { return this.startOf(unit).ts === other.setZone(this.zoneName).startOf(unit).ts; }
    equals(other) { return this.ts === other.ts && this.zoneName === other.zoneName; }
    toMillis() { return this.ts; }
    toSeconds() { return this.ts / 1000; }
    toUnixInteger() { return Math.floor(this.ts / 1000); }
    valueOf() { return this.ts; }
    toJSDate() { return new Date(this.ts); }
    toObject() { return Object.fromEntries(['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'].map((name) => [name, this[name]])); }
    offsetText(colon = ':') { return (this.offset < 0 ? '-' : '+') + pad(Math.floor(Math.abs(this.offset) / 60)) + colon + pad(Math.abs(this.offset) % 60); }
    offsetISO() { return this.offset === 0 && /^(?:UTC|Etc\/UTC)$/.test(this.zoneName) ? 'Z' : this.offsetText(); }
    toISODate() { return this.isValid ? this.toFormat('yyyy-MM-dd') : null; }
    toISOTime({ includeOffset = true, suppressMilliseconds = false, suppressSeconds = false } = {}) {
      if (!this.isValid) return null;
      const hasMs = !(suppressMilliseconds && this.millisecond === 0), hasSeconds = !(suppressSeconds && this.second === 0 && this.millisecond === 0);
      const offset = includeOffset ? this.offsetISO() : '';
      return this.toFormat('HH:mm') + (hasSeconds ? this.toFormat(hasMs ? ':ss.SSS' : ':ss') : '') + offset;
    }
    toISO(options) { return this.isValid ? this.toISODate() + 'T' + this.toISOTime(options) : null; }
    toSQLDate() { return this.toISODate(); }
    toSQL() { return this.isValid ? this.toISODate() + ' ' + this.toFormat('HH:mm:ss.SSS ') + this.offsetISO() : null; }
    toRFC2822() { return this.isValid ? this.setLocale('en-US').toFormat('ccc, dd LLL yyyy HH:mm:ss ZZZ') : null; }
    toHTTP() { return this.isValid ? this.toUTC().setLocale('en-US').toFormat("ccc, dd LLL yyyy HH:mm:ss 'GMT'") : null; }
    toJSON() { return this.toISO(); }
    toString() { return this.isValid ? this.toISO() : 'Invalid DateTime'; }
    zoneForIntl() { return this.zoneName.startsWith('UTC') && this.zoneName !== 'UTC' ? this.offsetText() : this.zoneName; }
    toLocaleString(options = DATES.DATE_SHORT, more = {}) {
      return this.isValid ? intl(more.locale ?? this.locale, { timeZone: this.zoneForIntl(), ...options }).format(this.ts) : 'Invalid DateTime';
    }
    toFormat(format, { locale = this.locale } = {}) {
      if (!this.isValid) return 'Invalid DateTime';
      const d = locale === this.locale ? this : this.setLocale(locale);
      const twelve = d.hour % 12 === 0 ? 12 : d.hour % 12;
      const tokens = {
        y: () => d.year, yy: () => pad(d.year % 100), yyyy: () => pad(d.year, 4), M: () => d.month, MM: () => pad(d.month), MMM: () => d.monthShort, MMMM: () => d.monthLong,
        d: () => d.day, dd: () => pad(d.day), E: () => d.weekday, EEE: () => d.weekdayShort, EEEE: () => d.weekdayLong,
        h: () => twelve, hh: () => pad(twelve), H: () => d.hour, HH: () => pad(d.hour), m: () => d.minute, mm: () => pad(d.minute), s: () => d.second, ss: () => pad(d.second),
        S: () => d.millisecond, SSS: () => pad(d.millisecond, 3), u: () => pad(d.millisecond, 3), a: () => (d.hour < 12 ? 'AM' : 'PM'),
        Z: () => (d.offset < 0 ? '-' : '+') + Math.floor(Math.abs(d.offset) / 60) + (d.offset % 60 ? ':' + pad(Math.abs(d.offset) % 60) : ''), ZZ: () => d.offsetText(), ZZZ: () => d.offsetText(''),
        z: () => d.zoneName, o: () => d.ordinal, ooo: () => pad(d.ordinal, 3), q: () => d.quarter, qq: () => pad(d.quarter), W: () => d.weekNumber, WW: () => pad(d.weekNumber),
        kk: () => pad(d.weekYear % 100), kkkk: () => pad(d.weekYear, 4), x: () => d.ts, X: () => Math.floor(d.ts / 1000),
        ZZZZ: () => intl(d.locale, { timeZone: d.zoneForIntl(), timeZoneName: 'short' }).formatToParts(d.ts).find((one) => one.type === 'timeZoneName').value,
      };
      return format.replace(/'([^']*)'|([a-zA-Z])\2*/g, (all, text) => {
        if (text !== undefined) return text;
        if (MACROS[all]) return d.toLocaleString(MACROS[all]);
        const make = tokens[all] ?? tokens[all.replaceAll('L', 'M').replaceAll('c', 'E')];
        // What is no token is a text there too.
        return make ? String(make()) : all;
      });
    }
    static now() { return new DateTime(ctx.now()); }
    static local(...given) { return DateTime.of(given, HERE); }
    static utc(...given) { return DateTime.of(given, 'UTC'); }
    static of(given, zone) {
      const options = typeof given.at(-1) === 'object' ? given.pop() : {};
      if (given.length === 0) return new DateTime(ctx.now(), { zone: zoneOf(options.zone, zone) });
      const [year, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = given;
      return DateTime.fromObject({ year, month, day, hour, minute, second, millisecond }, { ...options, zone: options.zone ?? zone });
    }
    static invalid(invalid) { return new DateTime(NaN, { invalid }); }
    static fromMillis(ms, { zone, locale } = {}) { return new DateTime(ms, { zone: zoneOf(zone, HERE), locale: locale ?? 'en-US' }); }
    static fromSeconds(seconds, options) { return DateTime.fromMillis(seconds * 1000, options); }
    static fromJSDate(date, options) { return DateTime.fromMillis(date.getTime(), options); }
    static fromObject(given, { zone, locale } = {}) {
      const to = zoneOf(zone, HERE), f = fieldsOf(given), now = new DateTime(ctx.now(), { zone: to });
      if (f.weekday !== undefined || f.ordinal !== undefined) throw new Error('DateTime.fromObject takes no weekday and no ordinal in code here.');
      const order = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'], first = order.findIndex((unit) => f[unit] !== undefined);
      const all = order.map((unit, i) => f[unit] ?? (i < first ? now[unit] : i === 1 || i === 2 ? 1 : 0));
      const [year, month, day, hour, minute, second, millisecond] = all;
      const isGood = all.every(Number.isInteger) && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour >= 0 && hour <= 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 && millisecond >= 0 && millisecond < 1000;
      if (!isGood) return DateTime.invalid('unit out of range');
      let ts;
      try { ts = momentOf(Date.UTC(year, month - 1, day, hour, minute, second, millisecond), to); } catch (error) { if (typeof Intl === 'undefined') throw error; return DateTime.invalid('unsupported zone'); }
      return new DateTime(ts, { zone: to, locale: locale ?? 'en-US' });
    }
    /** Fields of a text, in the zone that it names, or else in the one that is asked for. */
    static read(fields, offset, { zone, setZone = false, locale } = {}) {
      if (offset === undefined) return DateTime.fromObject(fields, { zone, locale });
      const made = DateTime.fromObject(fields, { zone: zoneOf(offset), locale });
      return setZone ? made : made.setZone(zoneOf(zone, HERE));
    }
    static fromISO(text, options = {}) {
      const found = /^(?:([+-]\d{6}|\d{4})(?:-?(\d\d)(?:-?(\d\d))?|-?W(\d\d)(?:-?(\d))?|-?(\d{3}))?)?(?:(?:[T]|^)(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,30}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(String(text ?? '').trim());
      if (!found || found[0] === '') return DateTime.invalid('unparsable');
      const [, year, month, day, week, weekday, ordinal, hour, minute, second, part, offset] = found;
      const time = { hour: Number(hour ?? 0), minute: Number(minute ?? 0), second: Number(second ?? 0), millisecond: Math.floor(Number('0.' + (part ?? 0)) * 1000) };
      let date = year === undefined ? {} : { year: Number(year), month: Number(month ?? 1), day: Number(day ?? 1) };
      if (week !== undefined || ordinal !== undefined) {
        const at = week === undefined ? Number(ordinal) - 1 : (Number(week) - 1) * 7 + Number(weekday ?? 1) - 1 - ((new Date(Date.UTC(year, 0, 4)).getUTCDay() || 7) - 4);
        const made = new Date(Date.UTC(year, 0, 1) + at * DAY);
        date = { year: made.getUTCFullYear(), month: made.getUTCMonth() + 1, day: made.getUTCDate() };
      }
      return DateTime.read({ ...date, ...time }, minutesOf(offset), options);
    }
    static fromSQL(text, options) {
      const [, date, time = '', offset = ''] = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?: ?(Z|[+-]\d\d:?\d\d))?$/.exec(String(text ?? '')) ?? [];
      return date === undefined ? DateTime.invalid('unparsable') : DateTime.fromISO(date + (time && 'T' + time + offset), options);
    }
    static fromRFC2822(text, options) { return DateTime.fromMillis(Date.parse(text), options); }
    static fromHTTP(text, options) { return DateTime.fromMillis(Date.parse(text), options); }
    static fromFormat(text, format, options = {}) {
      const names = [], lists = { MMM: MONTHS.map((name) => name.slice(0, 3)), MMMM: MONTHS, EEE: DAYS.map((name) => name.slice(0, 3)), EEEE: DAYS };
      const word = (list) => '(' + list.join('|') + ')';
      const pattern = format.replace(/'([^']*)'|([a-zA-Z])\2*|[^a-zA-Z]/g, (all, quoted) => {
        const token = all.replaceAll('L', 'M').replaceAll('c', 'E');
        const known = { yyyy: '(\\d{4})', y: '(\\d{1,6})', yy: '(\\d\\d)', a: '(am|pm)', Z: '([+-]\\d{1,2}(?::?\\d\\d)?)', ZZ: '([+-]\\d\\d:?\\d\\d)', ZZZ: '([+-]\\d\\d:?\\d\\d)', X: '(-?\\d+)', x: '(-?\\d+)', SSS: '(\\d{3})', S: '(\\d{1,3})', u: '(\\d{1,9})' };
        const made = lists[token] ? word(lists[token]) : (known[token] ?? (/^(?:MM|dd|HH|hh|mm|ss)$/.test(token) ? '(\\d\\d)' : /^[MdHhms]$/.test(token) ? '(\\d{1,2})' : undefined));
        if (made && quoted === undefined) { names.push(token); return made; }
        if (quoted === undefined && /[a-zA-Z]/.test(all) && all !== 'T') throw new Error('DateTime.fromFormat does not know ' + all + ' in code here.');
        return (quoted ?? all).replace(/[.*+?^$()|[\]{}\\]/g, '\\$&');
      });
      const found = new RegExp('^' + pattern + '$', 'i').exec(String(text));
      if (!found) return DateTime.invalid('unparsable');
      const f = {};
      let offset, half, stamp;
      names.forEach((token, i) => {
        const given = found[i + 1], letter = token[0];
        const at = lists[token]?.findIndex((name) => name.toLowerCase() === given.toLowerCase());
        if (letter === 'E') return;
        if (letter === 'M') f.month = at === undefined ? Number(given) : at + 1;
        else if (token === 'yy') f.year = Number(given) + (Number(given) > 60 ? 1900 : 2000);
        else if (letter === 'Z') offset = minutesOf(given);
        else if (letter === 'a') half = given.toLowerCase();
        else if (letter === 'X' || letter === 'x') stamp = Number(given) * (letter === 'X' ? 1000 : 1);
        else if (letter === 'u') f.millisecond = Math.floor(Number('0.' + given) * 1000);
        else f[{ y: 'year', d: 'day', H: 'hour', h: 'hour', m: 'minute', s: 'second', S: 'millisecond' }[letter]] = Number(given);
      });
      if (stamp !== undefined) return DateTime.fromMillis(stamp, options);
      if (half !== undefined) f.hour = ((f.hour ?? 0) % 12) + (half === 'pm' ? 12 : 0);
      return DateTime.read(f, offset, options);
    }
    static isDateTime(value) { return value instanceof DateTime; }
    static min(...all) { return all.reduce((a, b) => (b.ts < a.ts ? b : a)); }
    static max(...all) { return all.reduce((a, b) => (b.ts > a.ts ? b : a)); }
  }
  const minutesOf = (offset) => {
    if (offset === undefined) return undefined;
    const [, sign, hours, minutes = 0] = /^([+-])(\d{1,2}):?(\d\d)?$/.exec(offset) ?? ['', '+', 0, 0];
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  };
  Duration.prototype.named = function () { return Object.fromEntries(Object.entries(this).map(([name, n]) => [unitOf(name), n])); };
  Object.assign(DateTime, DATES);
  Object.setPrototypeOf(DateTime.prototype, strict('DateTime'));
  Object.setPrototypeOf(DateTime, strict('DateTime'));
  return { DateTime, Duration };
`;

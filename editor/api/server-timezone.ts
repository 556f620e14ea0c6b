let timezone = 'UTC';

/** Sets the zone of flows that set none, as the server says. */
export function setServerTimezone(zone: string): void {
  timezone = zone;
}

export const serverTimezone = (): string => timezone;

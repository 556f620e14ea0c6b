import type { Provider } from '../provider.ts';
import airtable from './airtable.ts';
import atlassian from './atlassian.ts';
import discord from './discord.ts';
import github from './github.ts';
import google from './google.ts';
import hubspot from './hubspot.ts';
import linkedin from './linkedin.ts';
import microsoft from './microsoft.ts';
import notion from './notion.ts';
import salesforce from './salesforce.ts';
import slack from './slack.ts';
import x from './x.ts';

/** By name, in the order of the gallery. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  [
    google,
    microsoft,
    slack,
    github,
    notion,
    airtable,
    hubspot,
    discord,
    linkedin,
    x,
    salesforce,
    atlassian,
  ].map((one) => [one.name, one]),
);

import { anyValue, field, object, optional, text } from '../shape.ts';

const MAX_NAME = 512;

/** A text that the channel has approved, by its name there. */
export const messageTemplate = object({
  name: field('Name of the template at the channel.', text({ max: MAX_NAME })),
  language: field('Its language there, such as `pt_BR`.', text({ max: MAX_NAME })),
  values: field(
    'What stands in its places, in the form that the channel takes: passed on as it is. When absent: nothing.',
    optional(anyValue()),
  ),
});

import Joi from 'joi';

/**
 * Splits a REDIS_URL into its addresses: one of a server, or several of a cluster, separated by commas. A password may contain
 * commas, too.
 */
export const splitRedisUrl = (url: string): string[] => url.split(/,(?=rediss?:\/\/)/);

const address = Joi.string().uri({ scheme: ['redis', 'rediss'] });

export const redisUrl = Joi.string().custom((value: string, helpers) => {
  const addresses = splitRedisUrl(value);
  for (const each of addresses) {
    // An address without its scheme would become part of the name before the comma.
    if (address.validate(each).error || new URL(each).hostname.includes(','))
      return helpers.message({
        custom:
          '{{#label}} must be an address of Redis, as redis://host:6379, or several of a cluster, divided by commas',
      });
  }
  if (addresses.length === 1) return value;
  const parsed = addresses.map(each => new URL(each));
  if (parsed.some(({ pathname }) => !/^\/?0?$/.test(pathname)))
    return helpers.message({ custom: '{{#label}} must name no database: a cluster has none but 0' });
  const isOther = ({ protocol, username, password }: URL) =>
    protocol !== parsed[0]?.protocol ||
    ((username || password) !== '' && (username !== parsed[0].username || password !== parsed[0].password));
  if (parsed.some(isOther))
    return helpers.message({
      custom: '{{#label}} must have one scheme, user and password for all nodes of a cluster',
    });
  return value;
});

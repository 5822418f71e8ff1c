"""Moments of a lender's working days, as timestamps with an offset."""

from datetime import date, timedelta

from .text import pick

_FIRST_DAY = date(2022, 1, 3)
DAYS_OF_CREATION = 1400  # bundles are created from January 2022 to November 2025
_DAYS_OF_DEPOSIT = 90  # their pieces are deposited within three months


def _last_sunday(year, month):
    last = date(year, month, 31)
    return last - timedelta(days=(last.weekday() + 1) % 7)


def _paris_offset(day):
    summer = _last_sunday(day.year, 3) <= day < _last_sunday(day.year, 10)
    return "+02:00" if summer else "+01:00"


_DAYS = tuple(_FIRST_DAY + timedelta(days=number) for number in range(DAYS_OF_CREATION + _DAYS_OF_DEPOSIT))
_DATES = tuple(day.isoformat() + "T" for day in _DAYS)
_OFFSETS = tuple(_paris_offset(day) for day in _DAYS)
_TWO_DIGITS = tuple(f"{number:02d}" for number in range(60))

# Offsets of other systems: UTC in both spellings, overseas branches, a half-hour zone; and fractions of databases
# and of .NET (seven digits).
_OTHER_OFFSETS = ("Z", "Z", "+00:00", "-04:00", "+04:00", "+11:00", "-10:00", "+05:30")
_FRACTIONS = (".5", ".12", ".500", ".123", ".000", ".987654", ".1234567", ".0000001")

_OPENING, _OPEN_SECONDS = 8 * 3600, 11 * 3600


def year_of(day):
    return _DATES[day][:4]


def moment(rng, day):
    """A timestamp on day number `day`, in office hours; one in ten has an unusual form."""
    minutes, seconds = divmod(_OPENING + int(rng.random() * _OPEN_SECONDS), 60)
    hours, minutes = divmod(minutes, 60)
    writing = rng.random()
    fraction = pick(rng, _FRACTIONS) if writing < 0.06 else ""
    offset = pick(rng, _OTHER_OFFSETS) if 0.04 < writing < 0.10 else _OFFSETS[day]
    return f"{_DATES[day]}{_TWO_DIGITS[hours]}:{_TWO_DIGITS[minutes]}:{_TWO_DIGITS[seconds]}{fraction}{offset}"


def deposit_moment(rng, creation_day):
    return moment(rng, creation_day + 1 + int(rng.random() * (_DAYS_OF_DEPOSIT - 1)))

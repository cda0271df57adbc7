/* SPDX-License-Identifier: MIT */
/*
 * text.c: numbers and strings as text, without locale and without floating point arithmetic.
 */
#include "common/text.h"

#include <string.h>

#include "common/digits.h"

void tl_text_unsigned(struct tl_text *text, uint64_t value)
{
	char digits[TL_DECIMAL_ROOM];

	tl_text_put(text, digits, (size_t)(tl_digits_decimal(digits, value) - digits));
}

void tl_text_signed(struct tl_text *text, int64_t value)
{
	struct tl_text before = *text;

	if (value < 0)
		tl_text_char(text, '-');
	tl_text_unsigned(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	if (text->cut)
		text->at = before.at;
}

void tl_text_integer(struct tl_text *text, uint64_t value, bool is_signed)
{
	bool is_negative = is_signed && (int64_t)value < 0;
	bool is_quoted = !tl_text_is_whole(value, is_signed);
	char digits[TL_DECIMAL_ROOM + 3], *at = digits;

	*at = '"';
	at += is_quoted;
	*at = '-';
	at += is_negative;
	at = tl_digits_decimal(at, is_negative ? 0 - value : value);
	*at = '"';
	at += is_quoted;
	tl_text_put(text, digits, (size_t)(at - digits));
}

void tl_text_microseconds(struct tl_text *text, uint64_t ns)
{
	char digits[TL_MICROSECONDS_ROOM];

	tl_text_put(text, digits, (size_t)(tl_digits_microseconds(digits, ns) - digits));
}

void tl_text_hex(struct tl_text *text, uint64_t value)
{
	char digits[2 + TL_HEX_ROOM] = "0x";

	tl_text_put(text, digits, (size_t)(tl_digits_hex(digits + 2, value) - digits));
}

/*
 * Bytes of the well-formed UTF-8 sequence at `s`; 0: there is none, and then *bad is how many bytes
 * one U+FFFD stands for (Unicode's "maximal subpart": the bytes that began a sequence correctly).
 */
static size_t utf8_sequence(const unsigned char *s, size_t size, size_t *bad)
{
	size_t length;
	unsigned char low = 0x80, high = 0xbf;

	*bad = 1;
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		length = 2;
	} else if (s[0] >= 0xe0 && s[0] <= 0xef) {
		length = 3;
		low = s[0] == 0xe0 ? 0xa0 : 0x80;  /* no overlong form */
		high = s[0] == 0xed ? 0x9f : 0xbf; /* no surrogate */
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		length = 4;
		low = s[0] == 0xf0 ? 0x90 : 0x80;
		high = s[0] == 0xf4 ? 0x8f : 0xbf; /* none beyond U+10FFFF */
	} else {
		return 0;
	}
	for (size_t i = 1; i < length; i++) {
		if (i >= size || s[i] < low || s[i] > high) {
			*bad = i;
			return 0;
		}
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

/*
 * The code point of a character beyond ASCII that controls a terminal: C1, and the marks that
 * change the direction of writing. 0: it is none of these.
 */
static unsigned character_steers(const unsigned char *s, size_t length)
{
	unsigned point = 0;

	if (length == 2)
		point = (s[0] & 31u) << 6 | (s[1] & 63u);
	else if (length == 3)
		point = (s[0] & 15u) << 12 | (s[1] & 63u) << 6 | (s[2] & 63u);
	if ((point >= 0x80 && point < 0xa0) || point == 0x61c || point == 0x200e ||
	    point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
	    (point >= 0x2066 && point <= 0x2069))
		return point;
	return 0;
}

static void put_escape(struct tl_text *text, unsigned point)
{
	static const char hex[] = "0123456789abcdef";

	tl_text_put(text,
		    (const char[]){'\\', 'u', hex[point >> 12], hex[point >> 8 & 15],
				   hex[point >> 4 & 15], hex[point & 15]},
		    6);
}

static void escape_ascii(struct tl_text *text, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char shorthand[] = "btn?fr"; /* 8 to 13 */

	if (c == '"' || c == '\\') {
		tl_text_put(text, (const char[]){'\\', (char)c}, 2);
	} else if (c >= 8 && c <= 13 && c != 11) {
		tl_text_put(text, (const char[]){'\\', shorthand[c - 8]}, 2);
	} else if (c < 0x20 || c == 0x7f) {
		tl_text_put(text, (const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
	} else {
		tl_text_char(text, (char)c);
	}
}

/*
 * Finds characters that need an escape or are beyond ASCII, eight at once. The lowest bit set is bit 7
 * of the first such character; bits above it mean nothing. 0: all eight are plain.
 */
static uint64_t word_find_special(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u;

	return (word | (word - ones * 0x20) | ((word ^ ones * '"') - ones) |
		((word ^ ones * '\\') - ones) | (word + ones)) &
	       ones * 0x80;
}

/* The last `count` characters of a string of `size`, followed by NULs. 1 <= count < 8, count <= size. */
static uint64_t word_of_last(const unsigned char *s, size_t size, size_t count)
{
	const unsigned char *last = s + size - count;
	uint32_t low, high;
	uint64_t word;

	if (size >= sizeof(word)) {
		memcpy(&word, s + size - sizeof(word), sizeof(word));
		return word >> 8 * (sizeof(word) - count);
	}
	if (count < sizeof(low))
		return last[0] | (uint64_t)last[count / 2] << 8 * (count / 2) |
		       (uint64_t)last[count - 1] << 8 * (count - 1);
	memcpy(&low, last, sizeof(low));
	memcpy(&high, last + count - sizeof(high), sizeof(high));
	return low | (uint64_t)high << 8 * (count - sizeof(high));
}

/* How many characters at the beginning are ASCII that needs no escape. */
static size_t plain_length(const unsigned char *s, size_t size)
{
	size_t length = 0;
	uint64_t word, special = 0;

	for (; length + sizeof(word) <= size; length += sizeof(word)) {
		memcpy(&word, s + length, sizeof(word));
		special = word_find_special(word);
		if (special)
			return length + (size_t)__builtin_ctzll(special) / 8;
	}
	if (length == size)
		return length;
	/* A NUL is special, so the search ends behind the last character at the latest. */
	special = word_find_special(word_of_last(s, size, size - length));
	return length + (size_t)__builtin_ctzll(special) / 8;
}

/* One character that is not plain. Returns how many bytes it is. */
static size_t escape_one(struct tl_text *text, const char *bytes, size_t size)
{
	const unsigned char *s = (const unsigned char *)bytes;
	size_t bad, length = utf8_sequence(s, size, &bad);

	if (length == 1)
		escape_ascii(text, *s);
	else if (character_steers(s, length))
		put_escape(text, character_steers(s, length));
	else if (length)
		tl_text_put(text, bytes, length);
	else
		tl_text_put(text, "\xef\xbf\xbd", 3);
	return length ? length : bad;
}

void tl_text_escape(struct tl_text *text, const char *bytes, size_t size)
{
	struct tl_text out = {text->at, text->end, false};

	for (size_t i = 0; i < size && !out.cut;) {
		size_t plain = plain_length((const unsigned char *)bytes + i, size - i);

		tl_text_put(&out, bytes + i, plain);
		i += plain;
		if (i < size)
			i += escape_one(&out, bytes + i, size - i);
	}
	if (out.cut)
		text->cut = true;
	else
		text->at = out.at;
}

void tl_text_shown(struct tl_text *text, const char *bytes, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)bytes;
	struct tl_text out = {text->at, text->end, false};

	for (size_t i = 0, bad; i < size && !out.cut;) {
		size_t length = utf8_sequence(s + i, size - i, &bad), count = length ? length : 1;
		bool is_plain = length == 1 ? (s[i] >= 0x20 && s[i] != 0x7f) || s[i] == '\t'
					    : length && !character_steers(s + i, length);

		if (is_plain)
			tl_text_put(&out, bytes + i, length);
		for (size_t j = i; !is_plain && j < i + count; j++)
			tl_text_put(&out, (const char[]){'\\', 'x', hex[s[j] >> 4], hex[s[j] & 15]},
				    4);
		i += count;
	}
	if (out.cut)
		text->cut = true;
	else
		text->at = out.at;
}

size_t tl_text_utf8_length(const char *bytes, size_t size)
{
	size_t bad;

	return utf8_sequence((const unsigned char *)bytes, size, &bad);
}

void tl_text_utf8(struct tl_text *text, const char *bytes, size_t size)
{
	struct tl_text out = {text->at, text->end, false};

	for (size_t i = 0, bad; i < size && !out.cut;) {
		size_t length = utf8_sequence((const unsigned char *)bytes + i, size - i, &bad);

		tl_text_put(&out, length ? bytes + i : "\xef\xbf\xbd", length ? length : 3);
		i += length ? length : bad;
	}
	if (out.cut)
		text->cut = true;
	else
		text->at = out.at;
}

/*
 * Floating point: Steele and White's shortest digits ("Dragon4"), in exact integers. With the value
 * r/s and half the distances to its neighbours m_minus/s and m_plus/s, digits are produced until
 * what remains is nearer than a neighbour. 1120 bits are needed for the smallest and largest
 * doubles.
 */
#define LIMBS 37

/* Only so many limbs are used as the numbers of one conversion need: mostly five. */
struct big {
	int limbs;
	uint32_t limb[LIMBS]; /* least first */
};

static void big_set(struct big *b, int limbs, uint64_t value)
{
	b->limbs = limbs;
	memset(b->limb, 0, (size_t)limbs * sizeof(b->limb[0]));
	b->limb[0] = (uint32_t)value;
	b->limb[1] = (uint32_t)(value >> 32);
}

static void big_multiply(struct big *b, uint32_t factor)
{
	uint64_t carry = 0;

	for (int i = 0; i < b->limbs; i++) {
		carry += (uint64_t)b->limb[i] * factor;
		b->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void big_shift(struct big *b, unsigned bits)
{
	unsigned limbs = bits / 32;

	for (int i = b->limbs - 1; i >= 0; i--)
		b->limb[i] = i >= (int)limbs ? b->limb[i - (int)limbs] : 0;
	big_multiply(b, 1u << bits % 32);
}

static int big_compare(const struct big *a, const struct big *b)
{
	for (int i = a->limbs - 1; i >= 0; i--)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

static void big_add(struct big *to, const struct big *b)
{
	uint64_t carry = 0;

	for (int i = 0; i < to->limbs; i++) {
		carry += (uint64_t)to->limb[i] + b->limb[i];
		to->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void big_subtract(struct big *from, const struct big *b)
{
	uint64_t borrow = 0;

	for (int i = 0; i < from->limbs; i++) {
		uint64_t difference = (uint64_t)from->limb[i] - b->limb[i] - borrow;
		from->limb[i] = (uint32_t)difference;
		borrow = difference >> 63;
	}
}

/* a + b against c */
static int big_compare_sum(const struct big *a, const struct big *b, const struct big *c)
{
	struct big sum;

	sum.limbs = a->limbs;
	memcpy(sum.limb, a->limb, (size_t)a->limbs * sizeof(a->limb[0]));
	big_add(&sum, b);
	return big_compare(&sum, c);
}

struct binary {
	uint64_t mantissa;
	int exponent; /* value = mantissa * 2^exponent */
	bool uneven;  /* the neighbour below is half as far as the one above */
};

static int floor_divide(int a, int b)
{
	return a / b - (a % b < 0);
}

/* Fill digits (at least 17) and return how many; *point is where the decimal point stands:
 * 0.d1d2d3… * 10^point. */
static int shortest_digits(const struct binary *v, char *digits, int *point)
{
	struct big r, s, plus, minus;
	bool even = v->mantissa % 2 == 0;
	unsigned extra = v->uneven ? 2 : 1;
	unsigned up = v->exponent > 0 ? (unsigned)v->exponent : 0;
	unsigned down = v->exponent < 0 ? (unsigned)-v->exponent : 0;

	/* r and s differ by less than a power of ten, and each is multiplied by ten before it shrinks. */
	unsigned bits = (up + 64 > down + 1 ? up + 64 : down + 1) + extra + 12;
	int limbs = (int)(bits / 32 + 1);

	big_set(&r, limbs, v->mantissa);
	big_shift(&r, up + extra);
	big_set(&s, limbs, 1);
	big_shift(&s, down + extra);
	big_set(&minus, limbs, 1);
	big_shift(&minus, up);
	plus = minus;
	if (v->uneven)
		big_shift(&plus, 1);

	/* An estimate of the decimal exponent that is never too high, and then raised to the right
	 * one. */
	int top = v->exponent + 63 - __builtin_clzll(v->mantissa);
	int k = floor_divide(top * 30103, 100000) - 1;
	for (int i = 0; i < k; i++)
		big_multiply(&s, 10);
	for (int i = k; i < 0; i++) {
		big_multiply(&r, 10);
		big_multiply(&plus, 10);
		big_multiply(&minus, 10);
	}
	while (big_compare_sum(&r, &plus, &s) >= (even ? 0 : 1)) {
		big_multiply(&s, 10);
		k++;
	}
	*point = k;

	for (int count = 0;;) {
		int digit = 0;

		big_multiply(&r, 10);
		big_multiply(&plus, 10);
		big_multiply(&minus, 10);
		for (; big_compare(&r, &s) >= 0; digit++)
			big_subtract(&r, &s);
		bool low = big_compare(&r, &minus) < (even ? 1 : 0);
		bool high = big_compare_sum(&r, &plus, &s) >= (even ? 0 : 1);
		if (low || high) {
			bool nearer_above = big_compare_sum(&r, &r, &s) >= 0;
			digit += high && (!low || nearer_above);
		}
		digits[count++] = (char)('0' + digit);
		if (low || high)
			return count;
	}
}

static void put_decimal(struct tl_text *text, const char *digits, int count, int point)
{
	static const char zeros[] = "0000000000000000000000";

	if (point > 17 || point < -4) {
		tl_text_put(text, digits, 1);
		if (count > 1) {
			tl_text_char(text, '.');
			tl_text_put(text, digits + 1, (size_t)count - 1);
		}
		tl_text_char(text, 'e');
		tl_text_char(text, point > 0 ? '+' : '-');
		int exponent = point > 0 ? point - 1 : 1 - point;
		if (exponent < 10)
			tl_text_char(text, '0');
		tl_text_unsigned(text, (uint64_t)exponent);
	} else if (point <= 0) {
		tl_text_string(text, "0.");
		tl_text_put(text, zeros, (size_t)-point);
		tl_text_put(text, digits, (size_t)count);
	} else if (point >= count) {
		tl_text_put(text, digits, (size_t)count);
		tl_text_put(text, zeros, (size_t)(point - count));
	} else {
		tl_text_put(text, digits, (size_t)point);
		tl_text_char(text, '.');
		tl_text_put(text, digits + point, (size_t)(count - point));
	}
}

/*
 * Whether the number is whole and below 2 to the number of mantissa bits: counters are, as a rule. Its
 * neighbours are at most 1 away, so its own digits are the shortest ones.
 */
static bool binary_is_whole(const struct binary *v, int fraction, uint64_t *whole)
{
	int places = -v->exponent;

	if (places < 0 || places > fraction || v->mantissa & ((1ull << places) - 1))
		return false;
	*whole = v->mantissa >> places;
	return true;
}

/*
 * Whether a double is the nearest to a decimal of six places or less, and of 15 digits or less. No two
 * decimals of so many digits have the same nearest double, so its digits are the shortest ones.
 */
static int double_short_digits(uint64_t bits, char *digits, int *point)
{
	uint64_t millionths;
	double value;
	int count = 0;

	bits &= UINT64_MAX >> 1;
	memcpy(&value, &bits, sizeof(value));
	if (!(value >= 1e-6 && value < 1e9))
		return 0;
	millionths = (uint64_t)(value * 1e6 + 0.5);
	if ((double)millionths / 1e6 != value)
		return 0;
	for (*point = -6; millionths % 10 == 0; millionths /= 10)
		++*point;
	for (uint64_t rest = millionths; rest; rest /= 10)
		count++;
	*point += count;
	for (int i = count; i > 0; millionths /= 10)
		digits[--i] = (char)('0' + millionths % 10);
	return count;
}

/* An IEEE 754 number of `fraction` explicit mantissa bits and `width` exponent bits. */
static void put_ieee(struct tl_text *text, uint64_t bits, int fraction, int width)
{
	uint64_t mantissa = bits & ((1ull << fraction) - 1);
	int most = (1 << width) - 1;
	int biased = (int)(bits >> fraction) & most;
	bool negative = bits >> (fraction + width) & 1;
	struct tl_text out = {text->at, text->end, false};
	char digits[24];
	int point;

	if (biased == most) {
		tl_text_string(text, mantissa	? "\"NaN\""
				     : negative ? "\"-Infinity\""
						: "\"Infinity\"");
		return;
	}
	if (negative)
		tl_text_char(&out, '-');
	if (!biased && !mantissa) {
		tl_text_char(&out, '0');
	} else {
		struct binary v = {
			.mantissa = biased ? mantissa | 1ull << fraction : mantissa,
			.exponent = (biased ? biased : 1) - (1 << (width - 1)) + 1 - fraction,
			.uneven = !mantissa && biased > 1,
		};
		uint64_t whole;

		if (binary_is_whole(&v, fraction, &whole)) {
			tl_text_unsigned(&out, whole);
		} else {
			int count = fraction == 52 ? double_short_digits(bits, digits, &point) : 0;

			if (!count)
				count = shortest_digits(&v, digits, &point);
			put_decimal(&out, digits, count, point);
		}
	}
	if (out.cut)
		text->cut = true;
	else
		text->at = out.at;
}

void tl_text_float(struct tl_text *text, uint32_t bits)
{
	put_ieee(text, bits, 23, 8);
}

void tl_text_double(struct tl_text *text, uint64_t bits)
{
	put_ieee(text, bits, 52, 11);
}

#include "base/expect.h"
#include "base/sha256.h"
#include "testing.h"

/* The examples of FIPS 180-2. */
TEST(known_answers)
{
    static char million[1000000];
    memset(million, 'a', sizeof million);
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char hex[SHA256_HEX_SIZE];
    sha256_hex("", 0, hex);
    expect_text(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex("abc", 3, hex);
    expect_text(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex(two_blocks, sizeof two_blocks - 1, hex);
    expect_text(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_hex(million, sizeof million, hex);
    expect_text(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

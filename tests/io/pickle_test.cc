#include "io/pickle.h"

#include "core/error.h"
#include "tests/io/make_pickle.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace diarize::test;
using diarize::FatalError;
using diarize::Pickle;
using diarize::PickleValue;
using Kind = PickleValue::Kind;

Pickle read(const std::string& value) {
  return Pickle(as_bytes(pickle_of(value)));
}

// The message of the error; empty if there is none.
std::string refusal(const std::string& program) {
  try {
    (void)Pickle(as_bytes(program));
  } catch (const FatalError& error) {
    return error.what();
  }
  return "";
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_SUITE("pickle") {
  TEST_CASE("plain values are read") {
    CHECK(read("N").root().kind == Kind::kNone);
    CHECK(read("\x88").root().integer == 1);
    CHECK(read("\x89").root().kind == Kind::kBool);
    CHECK(read("K\xFF").root().integer == 255);
    CHECK(read("M\x01\x02").root().integer == 513);
    CHECK(read(pickled(-5)).root().integer == -5);
    CHECK(read(std::string("\x8A\x03\x00\x00\x80", 5)).root().integer ==
          -8388608);
    CHECK(read(std::string("\x8A\x00", 2)).root().integer == 0);
    CHECK(read(std::string("G\x3F\xE0\0\0\0\0\0\0", 9)).root().real == 0.5);
    CHECK(read(pickled("caf\xC3\xA9")).root().text == "caf\xC3\xA9");
    CHECK(read("\x8C\x02hi").root().text == "hi");
  }

  TEST_CASE("containers hold their elements in order") {
    const Pickle list =
        read("](" + pickled(1) + pickled(2) + "e" + pickled(3) + "a");
    REQUIRE(list.root().items.size() == 3);
    CHECK(list.at(list.root().items[2]).integer == 3);
    const Pickle tuple = read(pickled(1) + pickled("b") + "\x86");
    CHECK(tuple.root().kind == Kind::kTuple);
    CHECK(tuple.at(tuple.root().items[1]).text == "b");
    CHECK(read(")").root().items.empty());
    const Pickle dict = read("}" + pickled("a") + pickled(1) + "s" +
                             pickled("a") + pickled(2) + "s");
    REQUIRE(dict.find(dict.root(), "a") != nullptr);
    CHECK(dict.find(dict.root(), "a")->integer == 2);
    CHECK(dict.find(dict.root(), "b") == nullptr);
    CHECK(list.find(list.root(), "a") == nullptr);
  }

  TEST_CASE("the memo gives the same value again") {
    const Pickle pickle = read("]q\x05" + pickled(1) + "ah\x05\x86");
    CHECK(pickle.root().items[0] == pickle.root().items[1]);
    const Pickle fourth = read(
        "\x8C\x01x\x94"
        "h" +
        std::string(1, '\0') + "\x86");
    CHECK(fourth.root().items[0] == fourth.root().items[1]);
  }

  TEST_CASE("protocol 4 is understood where it differs") {
    const std::string frame("\x95\x04\0\0\0\0\0\0\0", 9);
    const Pickle pickle(as_bytes("\x80\x04" + frame +
                                 "\x8C\x05torch\x8C\x0C"
                                 "FloatStorage\x93."));
    CHECK(Pickle::is_global(pickle.root(), "torch", "FloatStorage"));
  }

  TEST_CASE("an ordered dict is a dict and all other calls are inert") {
    const std::string ordered =
        pickled_call(pickled_global("collections", "OrderedDict"), {});
    const Pickle dict = read(ordered + pickled("a") + pickled(1) + "s}b");
    CHECK(dict.root().kind == Kind::kDict);
    CHECK(dict.find(dict.root(), "a")->integer == 1);
    const Pickle call =
        read(pickled_call(pickled_global("os", "system"), {pickled("true")}) +
             pickled_dict({{"x", pickled(1)}}) + "b");
    CHECK(call.root().kind == Kind::kObject);
    REQUIRE(call.root().items.size() == 3);
    CHECK(Pickle::is_global(call.at(call.root().items[0]), "os", "system"));
    const Pickle made = read(pickled_global("a", "B") + ")\x81");
    CHECK(made.root().kind == Kind::kObject);
  }

  TEST_CASE("what is put into an inert container is dropped") {
    const std::string other =
        pickled_call(pickled_global("collections", "defaultdict"), {});
    const Pickle pickle = read(other + pickled("a") + pickled(1) + "s");
    CHECK(pickle.root().kind == Kind::kObject);
    CHECK(pickle.root().items.size() == 2);
  }

  TEST_CASE("a value may contain itself") {
    const Pickle pickle = read(
        "]q\x01h\x01"
        "a");
    CHECK(&pickle.at(pickle.root().items[0]) == &pickle.root());
  }

  TEST_CASE("programs that are wrong are refused") {
    const std::vector<std::string> values{
        "",        // leaves nothing
        "NN",      // leaves two values
        "(N",      // leaves a mark
        "a",       // nothing on the stack
        "Na",      // no container
        "NNa",     // the same
        "}Ns",     // a key without value
        "}(Nu",    // the same
        "}Na",     // the same
        "t",       // no mark
        "(]Ne",    // no mark that fits
        "N(\x85",  // below the mark
        "h\x01",   // empty memo
        "q\x01",   // nothing to remember
        "NNR",     // arguments that are no tuple
        "NNb",     // state for no object
        "NN\x93",  // class without a name
        "Q",       // no identifier
        "i",       // an operation that imports and calls
        "o",       //
        "\xFF",    //
        "cos\n",   // cut off
    };
    for (const std::string& value : values) {
      CAPTURE(value);
      const std::string message = refusal(pickle_of(value));
      CHECK(message.starts_with("the pickle is refused at byte "));
    }
    CHECK_FALSE(refusal("").empty());
    CHECK_FALSE(refusal("\x80").empty());
    CHECK_FALSE(refusal("\x80\x02N").empty());
    CHECK_FALSE(refusal("N.").empty());
    CHECK_FALSE(refusal("\x80\x09N.").empty());
    CHECK_FALSE(refusal("\x80" + std::string(1, '\0') + "N.").empty());
    CHECK_FALSE(refusal(pickle_of("\x8A\x09"
                                  "123456789"))
                    .empty());
    CHECK_FALSE(refusal(pickle_of("X\xFF\xFF\xFF\xFF")).empty());
    CHECK_FALSE(refusal(pickle_of("Nr\xFF\xFF\xFF\xFF")).empty());
  }

  TEST_CASE("a million nested lists are refused without harm") {
    const std::size_t count = 1000000;
    CHECK(refusal(pickle_of(repeated("]", count) + repeated("a", count - 1)))
              .ends_with("its values nest deeper than 100"));
    CHECK(refusal(pickle_of("N" + repeated("\x85", count)))
              .ends_with("its values nest deeper than 100"));
    CHECK(refusal(pickle_of(repeated("(", count) + repeated("l", count)))
              .starts_with("the pickle is refused at byte "));
  }

  TEST_CASE("nesting within the bound is read") {
    CHECK(refusal(pickle_of("N" + repeated("\x85", 100))).empty());
  }

  TEST_CASE("the number of values and bytes is bounded") {
    CHECK(refusal(pickle_of("](" + repeated("N", Pickle::kMaxValues) + "e"))
              .ends_with("it holds more than 1048576 values"));
    CHECK(refusal(pickle_of(repeated("N", Pickle::kMaxBytes))) ==
          "the pickle has 16777219 bytes, expected at most 16777216");
  }

  TEST_CASE("a program cut off anywhere is refused") {
    const std::string whole = pickle_of(pickled_dict(
        {{"state_dict",
          pickled_dict({{"w", pickled(PickledTensor{
                                  "0", "FloatStorage", 6, 0, {6}, {1}})}})},
         {"name", pickled("a")}}));
    CHECK(refusal(whole).empty());
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      CHECK_FALSE(refusal(whole.substr(0, length)).empty());
    }
  }

  TEST_CASE("any changed byte is refused or read without harm") {
    const std::string whole = pickle_of(pickled_dict(
        {{"w", pickled(PickledTensor{"0", "FloatStorage", 6, 0, {6}, {1}})}}));
    int num_refused = 0;
    for (std::size_t place = 0; place < whole.size(); ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(byte);
        if (!refusal(damaged).empty()) ++num_refused;
      }
    }
    // Most operations and lengths matter; most letters of names do not.
    CHECK(num_refused > 150);
  }
}

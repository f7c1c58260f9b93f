echo mine
